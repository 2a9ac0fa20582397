# Debian's own Python: it is the one that python3-numpy is installed for.
find_program(TRANSFUSION_PYTHON NAMES python3 PATHS /usr/bin NO_DEFAULT_PATH)
if(NOT TRANSFUSION_PYTHON)
  message(FATAL_ERROR "/usr/bin/python3 not found: install python3 python3-numpy")
endif()

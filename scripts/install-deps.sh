#!/usr/bin/env bash
# Installs what a Debian 12 lacks to build, test and run TransFusion.
#   install-deps.sh           what building, testing and running need
#   install-deps.sh --ci      also what .ci/run needs (formatter, sanitizers, and
#                             IREE in .venv, from PyPI)
#   install-deps.sh --check   installs nothing: one line for what is missing
# Nothing is installed, and no root is needed, where everything is there.
set -euo pipefail

fail() {
  echo "error: $*" >&2
  exit 1
}

packages=(
  clang-22 lld-22 llvm-22-dev llvm-22-tools libmlir-22-dev mlir-22-tools
  cmake ninja-build libgtest-dev git
  python3 python3-numpy python3-jsonschema python3-psutil
)
check_only=0 ci=0
for arg in "$@"; do
  case $arg in
  --ci)
    ci=1
    packages+=(clang-format-22 libclang-rt-22-dev python3-venv)
    ;;
  --check) check_only=1 ;;
  *) fail "unknown argument '$arg'; known are --ci and --check" ;;
  esac
done

[ -r /etc/os-release ] || fail "no /etc/os-release: TransFusion is built on Debian 12"
os=$(. /etc/os-release && echo "${ID:-unknown} ${VERSION_ID:-}")
[ "$os" = "debian 12" ] ||
  fail "this is '$os', TransFusion is built on Debian 12 with its LLVM 22 packages"

is_installed() {
  local status
  status=$(dpkg-query -W -f '${Status}' "$1" 2>/dev/null) &&
    [[ $status == *"ok installed" ]]
}
has_candidate() {
  local policy
  policy=$(apt-cache policy "$1")
  [[ $policy == *"Candidate: "* && $policy != *"Candidate: (none)"* ]]
}
missing=()
for package in "${packages[@]}"; do
  is_installed "$package" || missing+=("$package")
done

if [ ${#missing[@]} -gt 0 ]; then
  [ $check_only = 0 ] || fail "missing packages: apt-get install ${missing[*]}"
  as_root=()
  if [ "$(id -u)" != 0 ]; then
    command -v sudo >/dev/null ||
      fail "not root and no sudo; as root: apt-get install ${missing[*]}"
    as_root=(sudo)
  fi
  echo "Installing ${#missing[@]} packages: ${missing[*]}"
  "${as_root[@]}" apt-get update -qq || fail "apt-get update failed, see above"
  for package in "${missing[@]}"; do
    if has_candidate "$package"; then
      continue
    fi
    case $package in # LLVM 22 came to Debian 12 by its security archive.
    *-22*) fail "no package $package; add to /etc/apt/sources.list:" \
      "deb http://security.debian.org/debian-security bookworm-security main" ;;
    *) fail "no package $package; is 'main' of bookworm in /etc/apt/sources.list?" ;;
    esac
  done
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -q \
    --no-install-recommends -o Dpkg::Use-Pty=0 "${missing[@]}" ||
    fail "apt-get install failed, see above"
fi

# A package of the right name may still be another version, from another archive.
version=$(llvm-config-22 --version 2>/dev/null || echo none)
case $version in
22.1.*) ;;
*) fail "LLVM 22.1 is needed and llvm-config-22 says '$version':" \
  "apt-get install 'llvm-22-dev=1:22.1.*' 'libmlir-22-dev=1:22.1.*'" ;;
esac
mlir=$(dpkg-query -W -f '${Version}' libmlir-22-dev)
llvm=$(dpkg-query -W -f '${Version}' llvm-22-dev)
[ "$mlir" = "$llvm" ] ||
  fail "libmlir-22-dev $mlir is not of llvm-22-dev $llvm: apt-get install libmlir-22-dev=$llvm"

# A compiler that is not ours, for a test; exact versions, all of them.
root=$(cd "$(dirname "$0")/.." && pwd)
wanted=$root/test/Integration/Iree/requirements.txt
venv=$root/.venv
if [ $ci = 1 ] && ! cmp -s "$wanted" "$venv/installed.txt"; then
  [ $check_only = 0 ] || fail "IREE is missing: scripts/install-deps.sh --ci"
  echo "Installing IREE into $venv"
  rm -rf "$venv"
  /usr/bin/python3 -m venv "$venv"
  "$venv/bin/pip" install --quiet --disable-pip-version-check --no-deps \
    --only-binary :all: -r "$wanted" ||
    fail "pip could not install $wanted, see above"
  "$venv/bin/pip" check >/dev/null || fail "$wanted misses a dependency"
  cp "$wanted" "$venv/installed.txt"
fi

#include "transfusion/Target/Translations.h"

void transfusion::registerTransFusionTranslations() {}

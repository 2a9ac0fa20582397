#ifndef TRANSFUSION_TARGET_TRANSLATIONS_H
#define TRANSFUSION_TARGET_TRANSLATIONS_H

namespace transfusion {

/// Registers the translations of `transfusion-translate`.
void registerTransFusionTranslations();

} // namespace transfusion

#endif // TRANSFUSION_TARGET_TRANSLATIONS_H

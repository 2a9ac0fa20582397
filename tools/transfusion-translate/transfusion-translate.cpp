#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "mlir/Tools/mlir-translate/MlirTranslateMain.h"
#include "transfusion/Target/Translations.h"

int main(int argc, char **argv) {
  transfusion::registerTransFusionTranslations();
  return mlir::asMainReturnCode(
      mlir::mlirTranslateMain(argc, argv, "TransFusion translation driver\n"));
}

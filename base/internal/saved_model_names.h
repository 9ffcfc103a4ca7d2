// Names of the files and folders of a SavedModel, relative to its directory. In base because three rooms recognise them.
#pragma once

#include <string_view>

namespace savedmodel::internal {

inline constexpr std::string_view kGraphFile = "saved_model.pb";
inline constexpr std::string_view kGraphTextFile = "saved_model.pbtxt";
inline constexpr std::string_view kGraphChunkedFile = "saved_model.cpb";
inline constexpr std::string_view kFingerprintFile = "fingerprint.pb";
inline constexpr std::string_view kDebugInfoFile = "debug/saved_model_debug_info.pb";
inline constexpr std::string_view kAssetsDirectory = "assets";
inline constexpr std::string_view kVariablesDirectory = "variables";
inline constexpr std::string_view kVariablesPrefix = "variables/variables";
inline constexpr std::string_view kVariablesIndex = "variables/variables.index";

}  // namespace savedmodel::internal

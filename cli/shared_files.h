// Files of one command that must not be the same one.
#pragma once

#include <string>
#include <vector>

namespace tidemark::cli {

// A file, and the option that names it; the path is empty if the option is not given.
struct OptionFile {
  std::string option;
  std::string path;
};

// Throws UserError if an output would overwrite one of the inputs, or a file that another output
// goes to. Two names of one file, by links or otherwise, are one file. An input that is a folder
// stands for what it holds. `-` is standard input among inputs and standard output among outputs;
// devices such as /dev/null may be shared.
//
// To be called before any output is opened, which empties it.
void refuse_shared_files(const std::vector<std::string>& inputs,
                         const std::vector<OptionFile>& outputs);

}  // namespace tidemark::cli

# frozen_string_literal: true

# `make gem` copies the C library and the translated module into ext/ctxfold/c; they are not in the repository.
Gem::Specification.new do |s|
  s.name = "ctxfold"
  s.version = "0.2.0"
  s.summary = "Keeps the conversation of a language model within its context window"
  s.description = "Clears old tool results, folds older turns into a digest, returns messages that the provider accepts. " \
                  "It compiles the C library when it is installed, and needs a C compiler and make."
  s.authors = ["The ctxfold Authors"]
  s.license = "MIT"
  s.homepage = "https://github.com/ctxfold/ctxfold"
  s.metadata = { "source_code_uri" => s.homepage, "rubygems_mfa_required" => "true" }
  s.required_ruby_version = ">= 3.1"
  s.files = Dir["lib/**/*.rb", "ext/**/*", "README.md", "LICENSE", "NOTICE"].select { |path| File.file?(path) }
  s.extensions = ["ext/ctxfold/extconf.rb"]
  s.add_dependency "fiddle", ">= 1.0"
end

# frozen_string_literal: true

# Run by `gem install`: writes a Makefile that compiles the C library with make and a C compiler and puts it next to
# ctxfold.rb. That takes a minute or two. CTXFOLD_LIB names a folder with a libctxfold.a to use instead.
require "etc"
require "rbconfig"

library = "ctxfold-library.#{RbConfig::CONFIG["DLEXT"]}"
archive = ENV["CTXFOLD_LIB"] ? File.join(File.expand_path(ENV["CTXFOLD_LIB"]), "libctxfold.a") : "c/build/libctxfold.a"
# RubyGems specifies where the library goes: newer versions pass the folder to make, older ones set it in this
# configuration.
File.write("Makefile", <<~MAKE)
  sitearchdir = #{RbConfig::MAKEFILE_CONFIG["sitearchdir"]}
  all: #{library}
  c/build/libctxfold.a:
  \t$(MAKE) -C c -j#{[Etc.nprocessors, 4].min} OUT=build build/libctxfold.a
  #{library}: #{archive}
  \trm -rf objects && mkdir objects && cp #{archive} objects/all.a && cd objects && ar x all.a
  \t#{RbConfig::CONFIG["CC"]} -shared -o $@ objects/*.o -lm -pthread
  install: all
  \tmkdir -p $(DESTDIR)$(sitearchdir)
  \tcp #{library} $(DESTDIR)$(sitearchdir)/
  clean:
  \trm -rf #{library} objects c/build
MAKE

import lit.formats

config.name = "suite"
config.test_format = lit.formats.ShTest(execute_external=True)
config.suffixes = [".test"]

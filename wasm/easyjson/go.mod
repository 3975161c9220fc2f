module github.com/mailru/easyjson

go 1.26.0

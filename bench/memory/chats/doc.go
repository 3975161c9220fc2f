// Package chats makes long conversations with questions whose answers are known: between two people, or a user and an assistant, in ten
// languages. The same seed yields the same conversation. Each language is one file of templates in lang. Its wording is written only for
// this package: nothing in it comes from the code that is measured, or goes there.
package chats

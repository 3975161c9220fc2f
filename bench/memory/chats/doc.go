// Package chats makes long conversations with questions whose answers are known: two people, or a user and an assistant, in
// ten languages. The same seed gives the same conversation. A language is one file of templates in lang, and its wording is
// written for this package alone: nothing of it comes from the code that is measured, or goes there.
package chats

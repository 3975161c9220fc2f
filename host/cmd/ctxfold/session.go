package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/ctxfold/ctxfold"
	"github.com/ctxfold/ctxfold/api"
)

func openCommand(f *flags) *cobra.Command {
	var messages bool
	c := &cobra.Command{
		Use:   "open [FILE|-]",
		Short: "Show the conversation in the session file of a coding agent",
		Long: `open reads the session file of Claude Code, Cline, Codex, Gemini CLI, Goose, opencode, OpenHands, pi or Roo Code, or a conversation that
LibreChat, Open WebUI, LlamaIndex, Semantic Kernel, Letta or GitHub Copilot has stored, and finds the messages of the next request: one
branch, after the last compaction and with its summary. It shows what the file holds; --messages prints the messages instead, as a list
in the wire format shown.

All commands that take a transcript open session files. The file's model, its system prompt and the provider's counts apply
unless the policy sets them. compact --session writes a session file.`,
		Example: `  ctxfold open ~/.claude/projects/-home-me-app/0b1c.jsonl
  ctxfold open --messages rollout.jsonl > transcript.json
  ctxfold check --window 200000 rollout.jsonl`,
		Args: atMostOneFile,
		RunE: func(c *cobra.Command, args []string) error {
			if messages && f.json {
				return usage(c, "--messages and --json are two answers: ask for one")
			}
			name, err := f.fileArgument(c, args)
			if err != nil {
				return err
			}
			file, err := f.readJSON(name)
			if err != nil {
				return err
			}
			compactor, err := f.compactor(c.Context(), 0)
			if err != nil {
				return err
			}
			s, err := compactor.Open(c.Context(), file.text)
			switch {
			case err != nil:
				return inputs{"file": file}.locate(err)
			case f.json:
				return f.printLine(s.Raw)
			case messages:
				return f.printLine(s.Messages)
			}
			lines(f.out,
				[2]string{"kind", string(s.Kind)},
				[2]string{"format", string(s.Format)},
				[2]string{"model", s.Model},
				[2]string{"messages", count(messageCount(s))},
				[2]string{"system", whatSystem(s)},
				[2]string{"usage", whatWasUsed(s)},
				[2]string{"skipped", whatWasSkipped(s)})
			return nil
		},
	}
	c.Flags().BoolVar(&messages, "messages", false, "print only the list of messages")
	return c
}

// openSession extracts the transcript if the core recognizes the input as a session file. The operations also get the
// model, the system prompt and the usage from the file. Any other input stays as it is.
func (j *job) openSession(ctx context.Context) error {
	file := j.sources["messages"]
	s, err := j.Open(ctx, file.text)
	var e *ctxfold.Error
	if errors.As(err, &e) && e.Code == "unknown_session" {
		file.noSession = e
		j.sources["messages"] = file
		return nil
	}
	if err != nil {
		return inputs{"file": file}.locate(err)
	}
	j.session, j.file, j.Messages = s, file.text, s.Input().Messages
	j.sources["messages"] = source{name: fmt.Sprintf("%s (%s session)", file.name, agent(s.Kind)), text: j.Messages, made: true}
	return nil
}

// saved returns the session file with the result written into it. It returns an error if the agent's format has no
// place for the result.
func (j *job) saved(ctx context.Context, r *ctxfold.Result) ([]byte, error) {
	next, err := j.Save(ctx, j.file, r, time.Now())
	return next, inputs{"file": j.sources["messages"], "messages": j.sources["messages"]}.locate(err)
}

// read returns a fact for the report: a description of the session file. The value is "" if the input isn't a session file.
func (j *job) read() [2]string {
	if j.session == nil {
		return [2]string{}
	}
	return [2]string{"read", fmt.Sprintf("%s session, %s, %s", agent(j.session.Kind), j.session.Format,
		plural(messageCount(j.session), "message"))}
}

func messageCount(s *ctxfold.Session) int {
	var list []json.RawMessage
	if err := json.Unmarshal(s.Messages, &list); err != nil {
		panic(err) // can't happen, because the module wrote this JSON
	}
	return len(list)
}

// agents maps the kinds of session files to the names of the agents, or of the programs that write them. For a kind
// that is missing here, such as "pi", agent returns the kind itself.
var agents = map[api.SessionKind]string{api.SessionClaudeCode: "Claude Code", api.SessionCodex: "Codex", api.SessionGeminiCLI: "Gemini CLI",
	api.SessionCopilot: "GitHub Copilot", api.SessionLetta: "Letta", api.SessionLibreChat: "LibreChat", api.SessionOpenWebUI: "Open WebUI",
	api.SessionLlamaIndex: "LlamaIndex", api.SessionSemanticKernel: "Semantic Kernel",
	api.SessionGoose: "Goose", api.SessionOpenHands: "OpenHands", api.SessionRooCode: "Roo Code"}

func agent(kind api.SessionKind) string {
	if name := agents[kind]; name != "" {
		return name
	}
	return string(kind)
}

func whatSystem(s *ctxfold.Session) string {
	if s.System == "" {
		return ""
	}
	return fmt.Sprintf("a prompt of %s", plural(len(s.System), "byte"))
}

func whatWasUsed(s *ctxfold.Session) string {
	u := s.Usage
	if u == nil {
		return "not known"
	}
	return fmt.Sprintf("%s tokens up to message %s, by the provider: input %s, cache read %s, cache write %s, output %s",
		count(u.TotalTokens), count(u.Message), count(u.InputTokens), count(u.CacheReadTokens), count(u.CacheWriteTokens), count(u.OutputTokens))
}

func whatWasSkipped(s *ctxfold.Session) string {
	if len(s.Skipped) == 0 {
		return "nothing"
	}
	var skipped []string
	for _, k := range s.Skipped {
		skipped = append(skipped, count(k.Count)+" "+strings.ReplaceAll(string(k.What), "_", " "))
	}
	return strings.Join(skipped, ", ")
}

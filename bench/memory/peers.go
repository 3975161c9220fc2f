package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/ctxfold/ctxfold/bench/memory/chats"
)

// peers are other packages for shortening conversations, which run in Node. A nil pointer means that they are not measured.
type peers struct {
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Reader
}

// peerNames lists the names of the peers' rows in tables.
var peerNames = []string{"TextRank", "trimMessages", "pi"}

// startPeers starts Node in the folder of this program, with the packages of bench/package.json.
func startPeers(root string) (*peers, error) {
	p := &peers{cmd: exec.Command("node", filepath.Join(root, "bench/memory/peers.mjs"))}
	p.cmd.Stderr = os.Stderr
	var err error
	if p.in, err = p.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	p.out = bufio.NewReaderSize(out, 1<<20)
	return p, p.cmd.Start()
}

func (p *peers) stop() error {
	if p == nil {
		return nil
	}
	if err := p.in.Close(); err != nil {
		return err
	}
	return p.cmd.Wait()
}

// theirs is what the peers keep of a conversation: text for each budget, by name; and the number of messages that pruneMessages leaves.
type theirs struct {
	texts  map[string][]string
	pruned int
}

// leave returns what each peer keeps of a conversation, for each budget in tokens.
func (p *peers) leave(c *chats.Chat, conv *conversation, budgets []int) (*theirs, error) {
	if p == nil {
		return &theirs{}, nil
	}
	type message struct {
		Role    string `json:"role"`
		Content string `json:"content"`
		Tokens  int    `json:"tokens"`
	}
	request := struct {
		Messages  []message `json:"messages"`
		Sentences []string  `json:"sentences"`
		Budgets   []int     `json:"budgets"`
	}{Sentences: conv.sentences, Budgets: budgets}
	for i, m := range c.Messages {
		role := m.Role
		if role != "assistant" && role != "system" {
			role = "user"
		}
		request.Messages = append(request.Messages, message{role, conv.texts[i], conv.sizes[i]})
	}
	if err := json.NewEncoder(p.in).Encode(request); err != nil {
		return nil, fmt.Errorf("the peers have stopped: %w", err)
	}
	line, err := p.out.ReadBytes('\n')
	if err != nil {
		return nil, fmt.Errorf("the peers have stopped: %w", err)
	}
	var answer struct {
		Kept      map[string][][]int
		Ranked    map[string][]int
		Untouched struct{ PruneMessages int }
	}
	if err := json.Unmarshal(line, &answer); err != nil {
		return nil, err
	}
	t := &theirs{map[string][]string{}, answer.Untouched.PruneMessages}
	for name, kept := range answer.Kept {
		for _, chosen := range kept {
			t.texts[name] = append(t.texts[name], join(conv.texts, chosen))
		}
	}
	for name, order := range answer.Ranked {
		for _, budget := range budgets {
			t.texts[name] = append(t.texts[name], ranked(conv, order, budget))
		}
	}
	return t, nil
}

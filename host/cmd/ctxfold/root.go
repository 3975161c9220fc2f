package main

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/jedib0t/go-pretty/v6/text"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"golang.org/x/term"

	"github.com/ctxfold/ctxfold"
	"github.com/ctxfold/ctxfold/api"
	"github.com/ctxfold/ctxfold/host"
	"github.com/ctxfold/ctxfold/host/module"
)

const (
	exitOK          = 0
	exitPartial     = 1
	exitBad         = 2
	exitOver        = 3
	exitInterrupted = 130 // the exit code of shells after SIGINT
)

// streams are the standard streams of a command. Tests replace them.
type streams struct {
	in       io.Reader
	out, err io.Writer
}

// run runs the command and returns the exit code. args are the arguments without the name of the program.
func run(ctx context.Context, args []string, io streams) int {
	if !isTerminal(io.out) || !isTerminal(io.err) {
		text.DisableColors()
	}
	root := newRoot(io)
	root.SetArgs(args)
	err := root.ExecuteContext(ctx)
	switch {
	case err == nil:
		return exitOK
	case errors.Is(err, errViolations), errors.Is(err, errPartial):
		return exitPartial
	case errors.Is(err, errOver):
		return exitOver
	case errors.Is(err, context.Canceled) && ctx.Err() != nil:
		printError(io.err, err)
		return exitInterrupted
	default:
		printError(io.err, err)
		return exitBad
	}
}

func isTerminal(stream any) bool {
	f, ok := stream.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// flags are the flags that commands share.
type flags struct {
	streams
	engine string // "wasm" or "native"
	json   bool   // whether to print JSON
}

// newRoot returns the command ctxfold with all its subcommands.
func newRoot(io streams) *cobra.Command {
	f := &flags{streams: io}
	root := &cobra.Command{
		Use:   "ctxfold",
		Short: "Compact the transcripts of LLM conversations",
		Long: `ctxfold makes the transcript of an LLM conversation shorter and keeps it valid for the provider: it clears old tool
results, folds older turns into a digest, and restores files that are still needed.

FILE is an array of messages, a whole request body in one of the wire formats that info lists, or the session file of a coding
agent (see ctxfold open --help). Without FILE, or with -, ctxfold reads standard input.

Exit codes: 0 success, 1 validate found violations or restore did not restore everything, 2 bad input or usage, 3 the result does not
fit into the window's limit, 130 interrupted.`,
		Example: `  ctxfold compact --window 200000 session.json > shorter.json
  ctxfold compact --window 32000 --summarizer 'cmd:my-model --system "$CTXFOLD_SYSTEM"' session.json
  curl -s https://example.com/session.json | ctxfold validate
  ctxfold check --window 200000 session.json`,
		Version:                    ctxfold.Version,
		SilenceErrors:              true,
		SuggestionsMinimumDistance: 2,
		SilenceUsage:               true,
		Args: func(c *cobra.Command, args []string) error {
			if len(args) > 0 {
				return usage(c, "there is no command %q%s", args[0], nearest(c, args[0], ""))
			}
			return nil
		},
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	root.SetIn(io.in)
	root.SetOut(io.out)
	root.SetErr(io.err)
	root.SetVersionTemplate("ctxfold {{.Version}}\n")
	root.SetFlagErrorFunc(func(c *cobra.Command, err error) error { return usage(c, "%v%s", err, nearestFlag(c, err)) })
	root.PersistentFlags().StringVar(&f.engine, "engine", "native", "what runs the operation: native, or wasm in a sandbox, with the same answers")
	root.PersistentFlags().BoolVar(&f.json, "json", false, "print the raw JSON answer")
	completeWith(root, "engine", "wasm", "native")
	root.AddCommand(
		compactCommand(f), planCommand(f), stepCommand(f), checkCommand(f), estimateCommand(f),
		validateCommand(f), repairCommand(f), convertCommand(f), restoreCommand(f), recallCommand(f), searchCommand(f), detectCommand(f), openCommand(f), infoCommand(f), presetsCommand(f),
		compareCommand(f), batchCommand(f), serveCommand(f),
	)
	return root
}

// nearest returns a question that suggests the subcommands of c whose names are similar to name, each prefixed with
// before, or "" if there are none.
func nearest(c *cobra.Command, name, before string) string {
	near := c.SuggestionsFor(name)
	if len(near) == 0 {
		return ""
	}
	return ", did you mean " + before + strings.Join(near, " or "+before) + "?"
}

// nearestFlag returns a question that suggests similar flags if err is about an unknown flag, otherwise "".
func nearestFlag(c *cobra.Command, err error) string {
	var unknown *pflag.NotExistError
	if !errors.As(err, &unknown) || unknown.GetSpecifiedShortnames() != "" {
		return ""
	}
	names := &cobra.Command{SuggestionsMinimumDistance: c.Root().SuggestionsMinimumDistance}
	c.Flags().VisitAll(func(f *pflag.Flag) {
		names.AddCommand(&cobra.Command{Use: f.Name, Run: func(*cobra.Command, []string) {}})
	})
	return nearest(names, unknown.GetSpecifiedName(), "--")
}

// completeWith sets the values that the shell offers when a flag is completed.
func completeWith(c *cobra.Command, flag string, values ...string) {
	complete(c, flag, cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp))
}

// completeFromInfo lets the shell offer names from the result of the operation info.
func completeFromInfo(c *cobra.Command, flag string, names func(*api.Info) []string) {
	complete(c, flag, func(c *cobra.Command, _ []string, _ string) ([]string, cobra.ShellCompDirective) {
		f := &flags{engine: "native"}
		compactor, err := f.compactor(c.Context(), 0)
		if err != nil {
			return nil, cobra.ShellCompDirectiveError
		}
		info, err := compactor.Info(c.Context())
		if err != nil {
			return nil, cobra.ShellCompDirectiveError
		}
		return names(info), cobra.ShellCompDirectiveNoFileComp
	})
}

func complete(c *cobra.Command, flag string, values cobra.CompletionFunc) {
	// The only possible error is a flag that does not exist, which any run of the command would reveal.
	if err := c.RegisterFlagCompletionFunc(flag, values); err != nil {
		panic(err)
	}
}

// compactor creates the compactor for a command. The caller need not close it, since the process ends. timeout limits
// each request for a summary.
func (f *flags) compactor(ctx context.Context, timeout time.Duration) (*ctxfold.Compactor, error) {
	return f.compactorWith(ctx, ctxfold.Options{SummaryTimeout: timeout})
}

// compactorWith is like compactor, but takes all options. An --engine other than wasm or native is
// an error.
func (f *flags) compactorWith(ctx context.Context, o ctxfold.Options) (*ctxfold.Compactor, error) {
	switch f.engine {
	case "wasm":
		return host.New(ctx, host.Options{Module: module.Wasm, CacheDir: cacheDir(), Options: o})
	case "native":
		return ctxfold.New(o), nil
	}
	return nil, usageError{text: "--engine must be wasm or native, not " + f.engine}
}

// cacheDir returns the directory that caches the compiled module between runs, or "" if it can't be created.
func cacheDir() string {
	base, err := os.UserCacheDir()
	if err != nil {
		return ""
	}
	dir := filepath.Join(base, "ctxfold")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return ""
	}
	return dir
}

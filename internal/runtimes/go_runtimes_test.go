//go:build runtimes

package runtimes

import (
	"context"
	"encoding/binary"

	extism "github.com/extism/go-sdk"
	"github.com/tetratelabs/wazero"
)

// inGo has the runtimes that are linked into the test, by name. Runtimes that need cgo are added in another file.
var inGo = map[string]runtime{
	"wazero":             ofWazero(wazero.NewRuntimeConfigCompiler()),
	"wazero interpreter": ofWazero(wazero.NewRuntimeConfigInterpreter()),
	"Extism":             ofExtism,
}

func ofWazero(config wazero.RuntimeConfig) runtime {
	return func(wasm []byte) (func() (instance, error), error) {
		ctx := context.Background()
		r := wazero.NewRuntimeWithConfig(ctx, config)
		compiled, err := r.CompileModule(ctx, wasm)
		if err != nil {
			return nil, err
		}
		return func() (instance, error) {
			m, err := r.InstantiateModule(ctx, compiled, wazero.NewModuleConfig().WithName(""))
			if err != nil {
				return nil, err
			}
			return exports{
				call: func(name string, args ...uint32) (uint64, error) {
					var list []uint64
					for _, a := range args {
						list = append(list, uint64(a))
					}
					results, err := m.ExportedFunction(name).Call(ctx, list...)
					if err != nil || len(results) == 0 {
						return 0, err
					}
					return results[0], nil
				},
				memory: func() []byte {
					b, _ := m.Memory().Read(0, m.Memory().Size())
					return b
				},
			}, nil
		}, nil
	}
}

// plugin is the module as an Extism plug-in, which has a function for each operation that takes and returns bytes.
type plugin struct{ *extism.Plugin }

// maxPages is the limit for each of a plug-in's two memories, the module's own and the one that it shares with its host: 64 MiB.
const maxPages = 1024

func ofExtism(wasm []byte) (func() (instance, error), error) {
	ctx := context.Background()
	manifest := extism.Manifest{Wasm: []extism.Wasm{extism.WasmData{Data: wasm}}, Memory: &extism.ManifestMemory{MaxPages: maxPages}}
	compiled, err := extism.NewCompiledPlugin(ctx, manifest, extism.PluginConfig{}, nil)
	if err != nil {
		return nil, err
	}
	return func() (instance, error) {
		p, err := compiled.Instance(ctx, extism.PluginInstanceConfig{})
		return plugin{p}, err
	}, nil
}

func (p plugin) Answer(op string, request []byte) ([]byte, error) {
	_, answer, err := p.Call(op, request)
	return append([]byte{}, answer...), err
}

func (p plugin) Memory() int {
	_, size, err := p.Call("memory_bytes", nil)
	if err != nil {
		return 0
	}
	return int(binary.LittleEndian.Uint64(size))
}

func (p plugin) Exhaust() error {
	_, _, err := p.Call("plan", make([]byte, maxPages<<16-1<<20)) // too large together with the memory in use
	return err
}

package wire_test

import "testing"

// TestBedrockConverse has, for each rule of the format, a transcript that obeys it, one that breaks it, and the
// repaired transcript.
func TestBedrockConverse(t *testing.T) {
	testRules(t, "bedrock-converse", []rule{
		{
			name:    "BC1 the roles",
			valid:   `[{"role":"system","content":[{"text":"s"}]},{"role":"user","content":[{"text":"go"}]},{"role":"assistant","content":[{"text":"done"}]}]`,
			invalid: `[{"role":"user","content":[{"text":"go"}]},{"role":"tool","content":[{"text":"x"}]}]`,
			says:    "BC1 messages[1] none",
		},
		{
			name:     "BC2 a message has content",
			valid:    `[{"role":"user","content":[{"text":"go"}]},{"role":"assistant","content":[{"text":"done"}]},{"role":"user","content":[{"text":"go"}]}]`,
			invalid:  `[{"role":"user","content":[{"text":"go"}]},{"role":"assistant","content":[]}]`,
			says:     "BC2 messages[1] drop_message",
			repaired: `[{"role":"user","content":[{"text":"go"}]}]`,
		},
		{
			name:     "BC2 a mark of the cache is no content",
			valid:    `[{"role":"user","content":[{"text":"go"},{"cachePoint":{"type":"default"}}]},{"role":"assistant","content":[{"text":"done"}]}]`,
			invalid:  `[{"role":"user","content":[{"text":"go"}]},{"role":"assistant","content":[{"cachePoint":{"type":"default"}}]}]`,
			says:     "BC2 messages[1] drop_message",
			repaired: `[{"role":"user","content":[{"text":"go"}]}]`,
		},
		{
			name:     "BC2 a text is more than white space",
			valid:    `[{"role":"user","content":[{"text":"go"}]},{"role":"assistant","content":[{"text":"done"}]}]`,
			invalid:  `[{"role":"user","content":[{"text":"go"}]},{"role":"assistant","content":[{"text":"so"},{"text":" \n"}]}]`,
			says:     "BC2 messages[1].content[1] drop_part",
			repaired: `[{"role":"user","content":[{"text":"go"}]},{"role":"assistant","content":[{"text":"so"}]}]`,
		},
		{
			name:     "BC2 a result has something in it",
			valid:    `[{"role":"user","content":[{"text":"go"}]},{"role":"assistant","content":[{"toolUse":{"toolUseId":"c1","name":"read","input":{"path":"a"}}}]},{"role":"user","content":[{"toolResult":{"toolUseId":"c1","content":[{"json":{"a":1}}]}}]},{"role":"assistant","content":[{"text":"done"}]}]`,
			invalid:  `[{"role":"user","content":[{"text":"go"}]},{"role":"assistant","content":[{"toolUse":{"toolUseId":"c1","name":"read","input":{"path":"a"}}}]},{"role":"user","content":[{"toolResult":{"toolUseId":"c1","content":[{"text":" "}]}}]},{"role":"assistant","content":[{"text":"done"}]}]`,
			says:     "BC2 messages[2].content[0] fill_body",
			repaired: `[{"role":"user","content":[{"text":"go"}]},{"role":"assistant","content":[{"toolUse":{"toolUseId":"c1","name":"read","input":{"path":"a"}}}]},{"role":"user","content":[{"toolResult":{"toolUseId":"c1","content":[{"text":"[No output]"}]}}]},{"role":"assistant","content":[{"text":"done"}]}]`,
		},
		{
			name:     "BC2 a result is a list of something",
			valid:    `[{"role":"user","content":[{"text":"go"}]},{"role":"assistant","content":[{"toolUse":{"toolUseId":"c1","name":"read","input":{"path":"a"}}}]},{"role":"user","content":[{"toolResult":{"toolUseId":"c1","content":[{"text":"one"}]}},{"cachePoint":{"type":"default"}}]},{"role":"assistant","content":[{"text":"done"}]}]`,
			invalid:  `[{"role":"user","content":[{"text":"go"}]},{"role":"assistant","content":[{"toolUse":{"toolUseId":"c1","name":"read","input":{"path":"a"}}}]},{"role":"user","content":[{"toolResult":{"toolUseId":"c1","content":[]}}]},{"role":"assistant","content":[{"text":"done"}]}]`,
			says:     "BC2 messages[2].content[0] fill_body",
			repaired: `[{"role":"user","content":[{"text":"go"}]},{"role":"assistant","content":[{"toolUse":{"toolUseId":"c1","name":"read","input":{"path":"a"}}}]},{"role":"user","content":[{"toolResult":{"toolUseId":"c1","content":[{"text":"[No output]"}]}}]},{"role":"assistant","content":[{"text":"done"}]}]`,
		},
		{
			name:     "BC3 the user begins",
			valid:    `[{"role":"user","content":[{"text":"go"}]},{"role":"assistant","content":[{"text":"done"}]}]`,
			invalid:  `[{"role":"assistant","content":[{"text":"done"}]},{"role":"user","content":[{"text":"go"}]}]`,
			says:     "BC3 messages[0] add_user",
			repaired: `[{"role":"user","content":[{"text":"[The conversation goes on from here.]"}]},{"role":"assistant","content":[{"text":"done"}]},{"role":"user","content":[{"text":"go"}]}]`,
		},
		{
			name:     "BC3 the roles take turns",
			valid:    `[{"role":"user","content":[{"text":"go"}]},{"role":"assistant","content":[{"text":"done"}]},{"role":"user","content":[{"text":"go"}]}]`,
			invalid:  `[{"role":"user","content":[{"text":"go"}]},{"role":"user","content":[{"text":"go"}]},{"role":"assistant","content":[{"text":"done"}]}]`,
			says:     "BC3 messages[1] add_turn",
			repaired: `[{"role":"user","content":[{"text":"go"}]},{"role":"assistant","content":[{"text":"[Noted.]"}]},{"role":"user","content":[{"text":"go"}]},{"role":"assistant","content":[{"text":"done"}]}]`,
		},
		{
			name:     "BC4 a result in the next message",
			valid:    `[{"role":"user","content":[{"text":"go"}]},{"role":"assistant","content":[{"toolUse":{"toolUseId":"c1","name":"read","input":{"path":"a"}}},{"toolUse":{"toolUseId":"c2","name":"read","input":{"path":"a"}}}]},{"role":"user","content":[{"toolResult":{"toolUseId":"c2","content":[{"text":"one"}]}},{"toolResult":{"toolUseId":"c1","content":[{"text":"one"}]}}]},{"role":"assistant","content":[{"text":"done"}]}]`,
			invalid:  `[{"role":"user","content":[{"text":"go"}]},{"role":"assistant","content":[{"toolUse":{"toolUseId":"c1","name":"read","input":{"path":"a"}}},{"toolUse":{"toolUseId":"c2","name":"read","input":{"path":"a"}}}]},{"role":"user","content":[{"toolResult":{"toolUseId":"c2","content":[{"text":"one"}]}}]},{"role":"assistant","content":[{"text":"done"}]}]`,
			says:     "BC4 messages[1].content[0] add_result",
			repaired: `[{"role":"user","content":[{"text":"go"}]},{"role":"assistant","content":[{"toolUse":{"toolUseId":"c1","name":"read","input":{"path":"a"}}},{"toolUse":{"toolUseId":"c2","name":"read","input":{"path":"a"}}}]},{"role":"user","content":[{"toolResult":{"toolUseId":"c1","status":"error","content":[{"text":"[No result: it was lost before this point of the conversation]"}]}},{"toolResult":{"toolUseId":"c2","content":[{"text":"one"}]}}]},{"role":"assistant","content":[{"text":"done"}]}]`,
		},
		{
			name:     "BC4 all results in one message",
			valid:    `[{"role":"user","content":[{"text":"go"}]},{"role":"assistant","content":[{"toolUse":{"toolUseId":"c1","name":"read","input":{"path":"a"}}}]},{"role":"user","content":[{"toolResult":{"toolUseId":"c1","content":[{"text":"one"}]}}]}]`,
			invalid:  `[{"role":"user","content":[{"text":"go"}]},{"role":"assistant","content":[{"toolUse":{"toolUseId":"c1","name":"read","input":{"path":"a"}}},{"toolUse":{"toolUseId":"c2","name":"read","input":{"path":"a"}}}]},{"role":"user","content":[{"toolResult":{"toolUseId":"c2","content":[{"text":"one"}]}}]},{"role":"user","content":[{"toolResult":{"toolUseId":"c1","content":[{"text":"one"}]}}]},{"role":"assistant","content":[{"text":"done"}]}]`,
			says:     "BC4 messages[3].content[0] move_result, BC3 messages[3] add_turn",
			repaired: `[{"role":"user","content":[{"text":"go"}]},{"role":"assistant","content":[{"toolUse":{"toolUseId":"c1","name":"read","input":{"path":"a"}}},{"toolUse":{"toolUseId":"c2","name":"read","input":{"path":"a"}}}]},{"role":"user","content":[{"toolResult":{"toolUseId":"c1","content":[{"text":"one"}]}},{"toolResult":{"toolUseId":"c2","content":[{"text":"one"}]}}]},{"role":"assistant","content":[{"text":"done"}]}]`,
		},
		{
			name:     "BC4 a result of no call",
			valid:    `[{"role":"user","content":[{"text":"go"}]},{"role":"assistant","content":[{"toolUse":{"toolUseId":"c1","name":"read","input":{"path":"a"}}}]},{"role":"user","content":[{"toolResult":{"toolUseId":"c1","content":[{"text":"one"}]}},{"text":"so"}]},{"role":"assistant","content":[{"text":"done"}]}]`,
			invalid:  `[{"role":"user","content":[{"text":"go"}]},{"role":"assistant","content":[{"text":"done"}]},{"role":"user","content":[{"toolResult":{"toolUseId":"c1","content":[{"text":"one"}]}},{"text":"so"}]}]`,
			says:     "BC4 messages[2].content[0] drop_part",
			repaired: `[{"role":"user","content":[{"text":"go"}]},{"role":"assistant","content":[{"text":"done"}]},{"role":"user","content":[{"text":"so"}]}]`,
		},
		{
			name:     "BC4 ids are unique",
			valid:    `[{"role":"user","content":[{"text":"go"}]},{"role":"assistant","content":[{"toolUse":{"toolUseId":"c1","name":"read","input":{"path":"a"}}}]},{"role":"user","content":[{"toolResult":{"toolUseId":"c1","content":[{"text":"one"}]}}]},{"role":"assistant","content":[{"toolUse":{"toolUseId":"c2","name":"read","input":{"path":"a"}}}]},{"role":"user","content":[{"toolResult":{"toolUseId":"c2","content":[{"text":"one"}]}}]}]`,
			invalid:  `[{"role":"user","content":[{"text":"go"}]},{"role":"assistant","content":[{"toolUse":{"toolUseId":"c1","name":"read","input":{"path":"a"}}}]},{"role":"user","content":[{"toolResult":{"toolUseId":"c1","content":[{"text":"one"}]}}]},{"role":"assistant","content":[{"toolUse":{"toolUseId":"c1","name":"read","input":{"path":"a"}}}]},{"role":"user","content":[{"toolResult":{"toolUseId":"c1","content":[{"text":"one"}]}}]}]`,
			says:     "BC4 messages[3].content[0] rename_id",
			repaired: `[{"role":"user","content":[{"text":"go"}]},{"role":"assistant","content":[{"toolUse":{"toolUseId":"c1","name":"read","input":{"path":"a"}}}]},{"role":"user","content":[{"toolResult":{"toolUseId":"c1","content":[{"text":"one"}]}}]},{"role":"assistant","content":[{"toolUse":{"toolUseId":"tooluse_ctxfold_3_4","name":"read","input":{"path":"a"}}}]},{"role":"user","content":[{"toolResult":{"toolUseId":"tooluse_ctxfold_3_4","content":[{"text":"one"}]}}]}]`,
		},
		{
			name:     "BC5 the form of ids",
			valid:    `[{"role":"user","content":[{"text":"go"}]},{"role":"assistant","content":[{"toolUse":{"toolUseId":"c.1:a-B_","name":"read","input":{"path":"a"}}}]},{"role":"user","content":[{"toolResult":{"toolUseId":"c.1:a-B_","content":[{"text":"one"}]}}]}]`,
			invalid:  `[{"role":"user","content":[{"text":"go"}]},{"role":"assistant","content":[{"toolUse":{"toolUseId":"c/1","name":"read","input":{"path":"a"}}}]},{"role":"user","content":[{"toolResult":{"toolUseId":"c/1","content":[{"text":"one"}]}}]}]`,
			says:     "BC5 messages[1].content[0] rename_id",
			repaired: `[{"role":"user","content":[{"text":"go"}]},{"role":"assistant","content":[{"toolUse":{"toolUseId":"tooluse_ctxfold_1_1","name":"read","input":{"path":"a"}}}]},{"role":"user","content":[{"toolResult":{"toolUseId":"tooluse_ctxfold_1_1","content":[{"text":"one"}]}}]}]`,
		},
		{
			name:     "BC6 results stand first",
			valid:    `[{"role":"user","content":[{"text":"go"}]},{"role":"assistant","content":[{"toolUse":{"toolUseId":"c1","name":"read","input":{"path":"a"}}}]},{"role":"user","content":[{"toolResult":{"toolUseId":"c1","content":[{"text":"one"}]}},{"text":"so"}]},{"role":"assistant","content":[{"text":"done"}]}]`,
			invalid:  `[{"role":"user","content":[{"text":"go"}]},{"role":"assistant","content":[{"toolUse":{"toolUseId":"c1","name":"read","input":{"path":"a"}}}]},{"role":"user","content":[{"text":"so"},{"toolResult":{"toolUseId":"c1","content":[{"text":"one"}]}}]},{"role":"assistant","content":[{"text":"done"}]}]`,
			says:     "BC6 messages[2].content[1] move_result",
			repaired: `[{"role":"user","content":[{"text":"go"}]},{"role":"assistant","content":[{"toolUse":{"toolUseId":"c1","name":"read","input":{"path":"a"}}}]},{"role":"user","content":[{"toolResult":{"toolUseId":"c1","content":[{"text":"one"}]}}]},{"role":"assistant","content":[{"text":"[Noted.]"}]},{"role":"user","content":[{"text":"so"}]},{"role":"assistant","content":[{"text":"done"}]}]`,
		},
		{
			name:     "BC7 the provider's calls have their results beside them",
			valid:    `[{"role":"user","content":[{"text":"go"}]},{"role":"assistant","content":[{"toolUse":{"toolUseId":"w1","name":"nova_grounding","input":{},"type":"server_tool_use"}},{"toolResult":{"toolUseId":"w1","content":[{"text":"x"}],"status":"success","type":"nova_grounding_result"}},{"text":"so"}]},{"role":"user","content":[{"text":"go"}]}]`,
			invalid:  `[{"role":"user","content":[{"text":"go"}]},{"role":"assistant","content":[{"toolUse":{"toolUseId":"w1","name":"nova_grounding","input":{},"type":"server_tool_use"}},{"text":"so"}]},{"role":"user","content":[{"text":"go"}]},{"role":"assistant","content":[{"text":"done"}]}]`,
			says:     "BC7 messages[1].content[0] drop_part",
			repaired: `[{"role":"user","content":[{"text":"go"}]},{"role":"assistant","content":[{"text":"so"}]},{"role":"user","content":[{"text":"go"}]},{"role":"assistant","content":[{"text":"done"}]}]`,
		},
		{
			name:    "BC8 a document has a text beside it",
			valid:   `[{"role":"user","content":[{"document":{"format":"txt","name":"a","source":{"text":"x"}}},{"text":"read"}]}]`,
			invalid: `[{"role":"user","content":[{"document":{"format":"txt","name":"a","source":{"text":"x"}}}]}]`,
			says:    "BC8 messages[0].content[0] none",
		},
		{
			name:    "BC9 a request that calls tools has them",
			valid:   `{"modelId":"m","toolConfig":{"tools":[]},"messages":[{"role":"user","content":[{"text":"go"}]},{"role":"assistant","content":[{"toolUse":{"toolUseId":"c1","name":"read","input":{"path":"a"}}}]},{"role":"user","content":[{"toolResult":{"toolUseId":"c1","content":[{"text":"one"}]}}]}]}`,
			invalid: `{"modelId":"m","messages":[{"role":"user","content":[{"text":"go"}]},{"role":"assistant","content":[{"toolUse":{"toolUseId":"c1","name":"read","input":{"path":"a"}}}]},{"role":"user","content":[{"toolResult":{"toolUseId":"c1","content":[{"text":"one"}]}}]}]}`,
			says:    "BC9 messages.messages[1] none",
		},
	})
}

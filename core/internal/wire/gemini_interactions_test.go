package wire_test

import "testing"

// TestGeminiInteractions has, for each rule of the format, a transcript that obeys it, one that breaks it, and the
// repaired transcript.
func TestGeminiInteractions(t *testing.T) {
	testRules(t, "gemini-interactions", []rule{
		{
			name:     "GI1 every call has its result",
			valid:    `[{"type":"user_input","content":[{"type":"text","text":"go"}]},{"type":"function_call","id":"c1","name":"read","arguments":{"path":"a"}},{"type":"function_call","id":"c2","name":"read","arguments":{"path":"a"}},{"type":"function_result","call_id":"c2","name":"read","result":"one"},{"type":"function_result","call_id":"c1","name":"read","result":"one"},{"type":"model_output","content":[{"type":"text","text":"done"}]}]`,
			invalid:  `[{"type":"user_input","content":[{"type":"text","text":"go"}]},{"type":"function_call","id":"c1","name":"read","arguments":{"path":"a"}},{"type":"model_output","content":[{"type":"text","text":"done"}]},{"type":"user_input","content":[{"type":"text","text":"go"}]}]`,
			says:     "GI1 messages[1] add_result",
			repaired: `[{"type":"user_input","content":[{"type":"text","text":"go"}]},{"type":"function_call","id":"c1","name":"read","arguments":{"path":"a"}},{"type":"function_result","call_id":"c1","name":"read","is_error":true,"result":"[No result: it was lost before this point of the conversation]"},{"type":"model_output","content":[{"type":"text","text":"done"}]},{"type":"user_input","content":[{"type":"text","text":"go"}]}]`,
		},
		{
			name:     "GI1 every result has its call",
			valid:    `[{"type":"user_input","content":[{"type":"text","text":"go"}]},{"type":"function_call","id":"c1","name":"read","arguments":{"path":"a"}},{"type":"function_result","call_id":"c1","name":"read","result":"one"}]`,
			invalid:  `[{"type":"user_input","content":[{"type":"text","text":"go"}]},{"type":"function_result","call_id":"c1","name":"read","result":"one"},{"type":"model_output","content":[{"type":"text","text":"done"}]}]`,
			says:     "GI1 messages[1] drop_message",
			repaired: `[{"type":"user_input","content":[{"type":"text","text":"go"}]},{"type":"model_output","content":[{"type":"text","text":"done"}]}]`,
		},
		{
			name:     "GI1 ids are unique",
			valid:    `[{"type":"user_input","content":[{"type":"text","text":"go"}]},{"type":"function_call","id":"c1","name":"read","arguments":{"path":"a"}},{"type":"function_result","call_id":"c1","name":"read","result":"one"},{"type":"function_call","id":"c2","name":"read","arguments":{"path":"a"}},{"type":"function_result","call_id":"c2","name":"read","result":"one"}]`,
			invalid:  `[{"type":"user_input","content":[{"type":"text","text":"go"}]},{"type":"function_call","id":"c1","name":"read","arguments":{"path":"a"}},{"type":"function_result","call_id":"c1","name":"read","result":"one"},{"type":"function_call","id":"c1","name":"read","arguments":{"path":"a"}},{"type":"function_result","call_id":"c1","name":"read","result":"one"}]`,
			says:     "GI1 messages[3] rename_id",
			repaired: `[{"type":"user_input","content":[{"type":"text","text":"go"}]},{"type":"function_call","id":"c1","name":"read","arguments":{"path":"a"}},{"type":"function_result","call_id":"c1","name":"read","result":"one"},{"type":"function_call","id":"call_ctxfold_3_3","name":"read","arguments":{"path":"a"}},{"type":"function_result","call_id":"call_ctxfold_3_3","name":"read","result":"one"}]`,
		},
		{
			name:     "GI2 a step has content",
			valid:    `[{"type":"user_input","content":[{"type":"text","text":"go"}]},{"type":"model_output","content":[{"type":"text","text":"done"}]}]`,
			invalid:  `[{"type":"user_input","content":[{"type":"text","text":"go"}]},{"type":"model_output","content":[]}]`,
			says:     "GI2 messages[1] drop_message",
			repaired: `[{"type":"user_input","content":[{"type":"text","text":"go"}]}]`,
		},
		{
			name:     "GI3 a thought has what follows it",
			valid:    `[{"type":"user_input","content":[{"type":"text","text":"go"}]},{"type":"thought","signature":"c2ln","summary":[{"type":"text","text":"hm"}]},{"type":"function_call","id":"c1","name":"read","arguments":{"path":"a"}},{"type":"function_result","call_id":"c1","name":"read","result":"one"},{"type":"thought","signature":"c2ln","summary":[{"type":"text","text":"hm"}]},{"type":"model_output","content":[{"type":"text","text":"done"}]}]`,
			invalid:  `[{"type":"user_input","content":[{"type":"text","text":"go"}]},{"type":"thought","signature":"c2ln","summary":[{"type":"text","text":"hm"}]},{"type":"user_input","content":[{"type":"text","text":"go"}]},{"type":"model_output","content":[{"type":"text","text":"done"}]}]`,
			says:     "GI3 messages[1] drop_message",
			repaired: `[{"type":"user_input","content":[{"type":"text","text":"go"}]},{"type":"user_input","content":[{"type":"text","text":"go"}]},{"type":"model_output","content":[{"type":"text","text":"done"}]}]`,
		},
		{
			name:     "GI4 a thought is signed",
			valid:    `[{"type":"user_input","content":[{"type":"text","text":"go"}]},{"type":"thought","signature":"c2ln","summary":[{"type":"text","text":"hm"}]},{"type":"model_output","content":[{"type":"text","text":"done"}]}]`,
			invalid:  `[{"type":"user_input","content":[{"type":"text","text":"go"}]},{"type":"thought","summary":[{"type":"text","text":"hm"}]},{"type":"model_output","content":[{"type":"text","text":"done"}]}]`,
			says:     "GI4 messages[1] drop_message",
			repaired: `[{"type":"user_input","content":[{"type":"text","text":"go"}]},{"type":"model_output","content":[{"type":"text","text":"done"}]}]`,
		},
		{
			name:     "GI5 the provider's calls have their results",
			valid:    `[{"type":"user_input","content":[{"type":"text","text":"go"}]},{"type":"google_search_call","id":"s1","arguments":{"queries":["q"]},"signature":"c2ln"},{"type":"google_search_result","call_id":"s1","result":[{"search_suggestions":"x"}],"signature":"c2ln"},{"type":"model_output","content":[{"type":"text","text":"done"}]}]`,
			invalid:  `[{"type":"user_input","content":[{"type":"text","text":"go"}]},{"type":"google_search_call","id":"s1","arguments":{"queries":["q"]},"signature":"c2ln"},{"type":"model_output","content":[{"type":"text","text":"done"}]},{"type":"user_input","content":[{"type":"text","text":"go"}]}]`,
			says:     "GI5 messages[1] drop_message",
			repaired: `[{"type":"user_input","content":[{"type":"text","text":"go"}]},{"type":"model_output","content":[{"type":"text","text":"done"}]},{"type":"user_input","content":[{"type":"text","text":"go"}]}]`,
		},
	})
}

package wire
import ("testing";"fmt";"github.com/ctxfold/ctxfold/internal/sessions";"github.com/ctxfold/ctxfold/core/jsonspan")
func TestZZ(t *testing.T){
 n:=map[string]int{}
 for _, s := range sessions.Load(t,"openai-chat","anthropic","gemini","ai-sdk","ai-sdk-ui","openai-responses") {
  g:=Detect(jsonspan.New(s.JSON()))
  k:="none"
  if len(g)>0 { k=g[0].Format.Name; if g[0].Confidence<Sure {k="ambiguous"} }
  key:=s.Format+" -> "+k
  n[key]++
  if k!=s.Format && k!="ambiguous" { fmt.Println(s.Name,s.Format,k) ; for _,x:=range g {fmt.Println("   ",x.Format.Name,x.Confidence,x.Evidence)} }
  if k=="ambiguous" && s.Format!="openai-chat" && n[key]<4 { fmt.Println(s.Name,s.Format); fmt.Printf("%.300s\n",s.JSON()) ; for _,x:=range g {fmt.Println("   ",x.Format.Name,x.Confidence,x.Evidence)}}
 }
 fmt.Println(n)
}

package digest

// This file lists, in lower case, the words that identify standing instructions in some of the languages in which
// people write to agents. The lists are deliberately small: they contain words for modality, negation and habit, but
// none for the subjects of rules. A hyphen counts as a space between words.

// cueRow lists cues that have the same place and strength, separated by commas. In languages with spaces, a cue
// consists of one or more words, as returned by wordsOf, with one space between them. An elided word counts as a word
// ("d' accord"). In other languages, a cue is a character sequence.
type cueRow struct {
	place, strength   int    // where a cue must be, such as lead, and how strict it is, such as wish
	changes, negative bool   // whether the cues announce a change, and whether they negate
	cues              string // the cues
}

// cueRows lists the cues for languages that separate words with spaces and don't inflect the beginnings of words.
var cueRows = []cueRow{
	// English
	{duty, strict, false, false, "must,mustn't,shall not,may not,may only,can only,cannot be,can't be,is not to,are not to,has to be,have to be,need to be,needs to be"},
	{anywhere, strict, false, false, "for future reference,allergic to,not allowed,aren't allowed,isn't allowed,allowed only,forbidden,prohibited,under no circumstances,on no account,no exceptions,without exception,never ever,do not ever,don't ever,should never,should always,you are not to,you're not to,must never,off limits,out of bounds,hands off,mandatory,non negotiable,strictly,at all costs,whatever happens,no matter what,is required,are required,at all times,not permitted,read only,not welcome,not an option,no go"},
	{lead, strict, false, false, "stop,do not,don't,refrain from,avoid,make sure,be sure to,ensure,dont,do only"},
	{habit, strict, false, false, "never"},
	{lead, strict, false, false, "always"},
	{nobody, strict, false, false, "only,no one,nobody,nothing"},
	{anywhere, strict, true, false, "from now on,from here on,from today on,from tomorrow on,from next week on,from monday on,going forward,from this point on,henceforth,starting now"},
	{anywhere, none, true, false, "instead,no longer,not any more,any more,any longer,anymore,changed my mind,actually,scratch that,forget about,forget what,ignore what,ignore the rule,on second thought,correction,switch to,as of now,as of today,not anymore"},
	{should, wish, false, false, "should,shouldn't,ought to,shall,can't,cannot,can not"},
	{duty, wish, false, false, "have to,has to,need to,needs to,is to be,are to,you're to"},
	{anywhere, wish, false, false, "i don't want,i do not want,we don't,we do not,i don't need,we never,we always,we only,i never want,i always want,rather than,unless,except when,except for,only if,only when,only after,only with,without asking,ask me,ask before,check with me,ask first,tell me before,my permission,my approval,my okay,my ok,explicit approval,keep in mind,bear in mind,remember to,note that,constraint,constraints,requirement,rule is,as a rule,rule of thumb,by default,in future,for the rest of,until further notice,it is essential,it's essential,crucial,limited to,limit is,hard limit,deadline is,stick to,stick with,please only,at no point,stays between,stay between,default to,nowhere else,not until,not before,rule one,rule number one,policy,guideline,convention,by convention,house style,be careful with,be careful not,careful with,leave alone,don't bother"},
	{bound, wish, false, false, "not more than,no more than,no longer than,no less than,no fewer than,at most,at least,up to,is important,are important,it's important,every time,each time,whenever,in the future,remember that,deadline"},
	{permit, wish, false, false, "no need to,feel free to,you may,you're allowed to,you are allowed to,you can,you are free to,you're free to,is allowed,are allowed,is okay,are okay,is ok,are ok,are fine,is fine by me,is fine with me,welcome to use"},
	{habit, wish, false, false, "always"},
	{anywhere, weak, false, false, "the goal,our goal,my goal,the aim,our aim,the objective,the purpose,the point of,done when,done once,finished when,finished once,success means,trying to reach,milestone"},
	{lead, wish, false, false, "important,prefer,stick,remember,limit,restrict,treat,assume,follow,respect,stay away"},
	{bare, wish, false, false, "no,not,keep,leave,stay,be"},
	{order, wish, false, false, "refer,use,write,answer,reply,respond,address,speak,format,spell,talk,call,include,mention,show,give,start,end,begin,finish,put,add,round,name,quote,explain,say,sign,list"},
	{loose, weak, false, false, "every,only,nothing,none,nobody,no one,without,secret,secrets,confidential,stays,stay,remains,belongs,belong,off the table,we use,we're using,we are using,counts as,as long as,no matter"},
	{anywhere, wish, false, false, "untouchable,taboo,banned,sign off,go ahead from me,my consent,my yes,my nod,my say so,ask before,stop and ask,not exceed,cap at,capped at,easier for me,spare me,go easy on,across the board,exclusively,solely,in english,in german,in french,in spanish,in portuguese,in italian,in russian,in chinese,in japanese,in korean,in arabic,in hindi,for me please"},
	{bound, wish, false, false, "limit,limits,ceiling,maximum,minimum,max,min,budget,quota,threshold,throughout"},
	{lead, wish, false, false, "skip,hold back,spare,go easy,hold off,make it a habit,make it a rule"},
	{taste, weak, false, false, "i want,we want,i'd like,i would like,we'd like,we need"},
	{want, wish, false, false, "ich möchte,ich hätte gern,ich hätte gerne,j' aimerais,je voudrais,je souhaite,je veux,me gustaría,quiero,gostaria,quero,queria,vorrei,voglio"},
	// German
	{anywhere, strict, false, false, "allergisch gegen,allergisch auf,darf nicht,dürfen nicht,darfst nicht,darf nur,dürfen nur,darf niemals,darf kein,darf keine,darf keinen,dürfen keine,auf keinen fall,unter keinen umständen,unbedingt,zwingend,verboten,untersagt,tabu,nicht erlaubt,ist pflicht,verpflichtend,ausnahmslos,keinesfalls,auf gar keinen fall"},
	{duty, strict, false, false, "muss,müssen,musst,müsst"},
	{order, wish, false, false, "nenn,nenne,sag,erwähne,beginne,beende,zeig,zeige,gib,füge,duz,duze,siez,sieze,runde"},
	{habit, strict, false, false, "niemals,nie,nirgends,nirgendwo"},
	{anywhere, strict, true, false, "ab jetzt,ab sofort,von nun an,künftig,zukünftig,in zukunft,ab heute"},
	{anywhere, none, true, false, "stattdessen,nicht mehr,doch lieber,ich habe es mir anders überlegt"},
	{habit, wish, false, false, "immer,stets,jedes mal,grundsätzlich,generell"},
	{should, wish, false, false, "soll,sollen,sollte,sollten,sollst,solltest"},
	{anywhere, wish, false, false, "ich bevorzuge,bevorzugt,ich mag,mir ist wichtig,am liebsten,lieber,vermeide,vermeiden,vermeidet,achte darauf,achtet darauf,stelle sicher,stell sicher,denk daran,denke daran,beachte,merk dir,merke dir,höchstens,mindestens,maximal,nur wenn,nur mit,nur nach,es sei denn,außer,ohne rückfrage,ohne meine,frag mich,frage mich,frag vorher,wichtig,regel,vorgabe,bitte kein,bitte keine,bitte keinen,bitte nicht,bitte nur,bitte immer,will ich nicht,will ich keine,möchte ich nicht,ich will kein,ich will keine,ich will nicht,bleib bei,bleibe bei,standardmäßig"},
	{bare, wish, false, false, "kein,keine,keinen,nicht,nur"},
	{lead, wish, false, false, "halte,bevorzuge,begrenze"},
	{order, wish, false, false, "verwende,verwendet,benutze,nutze,nimm,schreib,schreibe,antworte,formuliere,nenne,behalte,sprich"},
	{anywhere, wish, false, false, "auf deutsch,auf englisch,auf französisch,auf spanisch,obergrenze,grenze,höchstgrenze,budget,stört mich,nervt mich,durchgehend,ausschließlich,bleibt,bleiben,freigabe,genehmigung,erlaubnis,zustimmung,rücksprache"},
	{loose, weak, false, false, "nicht,kein,keine,keinen,gehören,gehört,alle,jede,jeder,jedes,nur,ohne,bitte nutze,wir verwenden,wir nutzen,vertraulich,geheim,das ziel,unser ziel"},
	// French
	{anywhere, strict, false, false, "allergique à,allergique au,allergique aux,il faut,il ne faut,ne doit,ne doivent,ne dois,ne devez,interdit,interdite,interdits,interdites,défense de,en aucun cas,sous aucun prétexte,obligatoire,obligatoirement,impérativement,ne peut pas,ne peuvent pas,strictement,ne faut"},
	{duty, strict, false, false, "doit,doivent,dois,devez"},
	{habit, strict, false, false, "jamais"},
	{bare, strict, false, false, "ne,n',pas de,pas d',pas d"},
	{lead, strict, false, false, "tutoie,vouvoie,évite,évitez,éviter,assure toi,assurez vous,veille à,veillez à,surtout pas,surtout ne,surtout n'"},
	{anywhere, strict, true, false, "à partir de maintenant,désormais,dorénavant,à l' avenir"},
	{anywhere, none, true, false, "plutôt que,à la place,ne plus,n' est plus,finalement,j' ai changé d' avis"},
	{habit, wish, false, false, "toujours"},
	{anywhere, wish, false, false, "uniquement,seulement,exclusivement,je préfère,je préférerais,j' aime,je ne veux,je déteste,de préférence,par défaut,n' oublie pas,n' oubliez pas,souviens toi,rappelle toi,garde en tête,gardez en tête,au plus,au maximum,au moins,au minimum,sauf si,sauf,à moins que,à moins de,sans me,sans mon,demande moi,demandez moi,avant de,règle,contrainte,convient de,pas plus de"},
	{bound, wish, false, false, "important,chaque fois,à chaque"},
	{should, wish, false, false, "devrait,devraient"},
	{lead, wish, false, false, "restons,garde,gardez,privilégie,privilégiez,préfère,préférez,respecte,respectez,limite,limitez,reste,restez"},
	{order, wish, false, false, "utilise,utilisez,utiliser,écris,écrivez,réponds,répondez,emploie,employez,nomme,nommez,mets,mettez,indique,indiquez,commence,commencez,termine,terminez,donne,donnez,dis,cite,citez"},
	{anywhere, wish, false, false, "en français,en anglais,en allemand,en espagnol,plafond,limite,budget,m' agace,partout,reste,restent,accord,autorisation,permission"},
	{loose, weak, false, false, "ne,n',pas de,pas d',tous,toutes,chaque,sans,aucun,aucune,on utilise,nous utilisons,confidentiel,secret,le but,l' objectif"},
	// Spanish
	{anywhere, strict, false, false, "alérgico a,alérgica a,no se debe,no se deben,no debe,no deben,no debes,no deberías,hay que,no se puede,no se pueden,no puede,no pueden,prohibido,prohibida,prohibidos,bajo ningún concepto,bajo ninguna circunstancia,en ningún caso,obligatorio,obligatoria,es imprescindible,sin excepción,no está permitido,terminantemente"},
	{duty, strict, false, false, "debe,deben,debes,tiene que,tienen que,tienes que,precisa,precisam,deve,devem,devono,devi"},
	{habit, strict, false, false, "nunca,jamás"},
	{bare, strict, false, false, "no"},
	{lead, strict, false, false, "trátame,tutéame,háblame de,evita,evite,evitar,asegúrate,asegúrese,solo,sólo"},
	{anywhere, strict, true, false, "a partir de ahora,de ahora en adelante,desde ahora,en adelante,en lo sucesivo,de aquí en adelante"},
	{anywhere, none, true, false, "en lugar de,en vez de,ya no,mejor dicho,he cambiado de idea,cambié de opinión"},
	{habit, wish, false, false, "siempre,sempre"},
	{bare, wish, false, false, "sin,nada de"},
	{anywhere, wish, false, false, "únicamente,solamente,prefiero,preferiría,preferimos,me gusta,no me gusta,no quiero,odio,de preferencia,por defecto,recuerda,recuerde,ten en cuenta,tenga en cuenta,como máximo,como mucho,al menos,por lo menos,como mínimo,salvo que,salvo si,a menos que,excepto,sin preguntar,sin consultarme,sin mi,pregúntame,consúltame,regla,restricción,no más de"},
	{bound, wish, false, false, "importante,cada vez"},
	{should, wish, false, false, "debería,deberían,deveria,deveriam,dovrebbe,dovrebbero"},
	{lead, wish, false, false, "mantén,mantenga,respeta,respete,limita,prefiere,deja,sigue"},
	{order, wish, false, false, "usa,utiliza,utilice,usar,escribe,escriba,responde,responda,contesta,nombra,pon,di,indica,empieza,termina,cita,incluye"},
	{anywhere, wish, false, false, "en español,en inglés,en francés,en alemán,tope,límite,presupuesto,me molesta,en todas partes,queda,quedan,va siempre,van siempre,permiso,autorización,aprobación,visto bueno"},
	{loose, weak, false, false, "no,va,van,todos,todas,cada,sin,ningún,ninguna,usamos,utilizamos,confidencial,secreto,el objetivo,la meta"},
	// Portuguese
	{anywhere, strict, false, false, "alérgico a,alérgica a,não deve,não devem,não deves,é preciso,tem que,têm que,tem de,têm de,não pode,não podem,proibido,proibida,em hipótese alguma,de jeito nenhum,em nenhuma circunstância,obrigatório,obrigatória,obrigatoriamente,é essencial,sem exceção,não é permitido"},
	{lead, strict, false, false, "não,evite,evita,evitar,certifique,certifica,garanta,apenas,somente,só"},
	{anywhere, strict, true, false, "a partir de agora,de agora em diante,daqui em diante,doravante,daqui para frente"},
	{anywhere, none, true, false, "em vez de,ao invés de,já não,mudei de ideia"},
	{anywhere, wish, false, false, "prefiro,preferimos,eu gosto,gosto de,não gosto,não quero,odeio,de preferência,por padrão,lembre,lembra,tenha em mente,no máximo,pelo menos,no mínimo,a menos que,a não ser que,exceto,salvo se,sem perguntar,sem a minha,sem minha,pergunte,importante,regra,restrição,toda vez,sempre que,não mais que,não mais de"},
	{lead, wish, false, false, "mantenha,mantém,respeite,limite,prefira,siga,deixe"},
	{order, wish, false, false, "usa,utilize,utiliza,usar,escreva,escreve,responda,responde,nomeie,coloque"},
	{anywhere, wish, false, false, "em português,em inglês,em espanhol,teto,limite,orçamento,me incomoda,fica,ficam,permissão,autorização,aprovação"},
	{loose, weak, false, false, "não,todos,todas,cada,sem,nenhum,nenhuma,usamos,utilizamos,confidencial,segredo,o objetivo,a meta"},
	// Italian
	{anywhere, strict, false, false, "allergico a,allergica a,allergico alle,allergica alle,non deve,non devono,non devi,bisogna,occorre,non può,non possono,vietato,vietata,vietati,proibito,in nessun caso,per nessun motivo,assolutamente,obbligatorio,obbligatoria,tassativamente,senza eccezioni,non è consentito,è necessario"},
	{habit, strict, false, false, "mai"},
	{lead, strict, false, false, "dammi del,non,evita,evitare,evitate,assicurati,assicuratevi,solo,soltanto,niente"},
	{anywhere, strict, true, false, "d' ora in poi,d' ora in poi,da ora in poi,da adesso in poi,in futuro,da oggi"},
	{anywhere, none, true, false, "invece di,al posto di,non più,ho cambiato idea"},
	{anywhere, wish, false, false, "unicamente,preferisco,preferirei,preferiamo,mi piace,non mi piace,non voglio,odio,di preferenza,preferibilmente,ricorda,ricordati,tieni presente,al massimo,almeno,come minimo,a meno che,tranne,eccetto,senza chiedere,senza il mio,chiedimi,importante,regola,vincolo,ogni volta,non più di"},
	{lead, wish, false, false, "mantieni,rispetta,limita,preferisci,segui,lascia,tieni"},
	{order, wish, false, false, "usate,utilizza,utilizzate,scrivi,scrivete,rispondi,rispondete,metti,chiama"},
	{anywhere, wish, false, false, "in italiano,in inglese,in francese,in tedesco,tetto,limite,budget,mi dà fastidio,resta,restano,va scritto,vanno scritti,permesso,autorizzazione,approvazione"},
	{loose, weak, false, false, "non,va,vanno,tutti,tutte,ogni,senza,nessun,nessuna,usiamo,utilizziamo,riservato,segreto,l' obiettivo"},
	// Dutch
	{anywhere, strict, false, false, "allergisch voor,mag niet,mogen niet,mag geen,mag nooit,mag alleen,verboden,verplicht,in geen geval"},
	{duty, strict, false, false, "moet,moeten"},
	{anywhere, strict, true, false, "voortaan,vanaf nu"},
	{habit, strict, false, false, "nooit,nergens"},
	{habit, wish, false, false, "altijd"},
	{bare, wish, false, false, "geen,niet"},
	{lead, strict, false, false, "vermijd,alleen,zeg maar je"},
	{order, wish, false, false, "gebruik,schrijf,antwoord,noem,geef,zet,houd,blijf"},
	{anywhere, wish, false, false, "ik wil geen,vraag me,vraag het me,hou van,hou niet van,niks voor mij,niets voor mij,liever,liefst,vind ik,maakt me,maken me,dol op,gek op,ik haat,ik vermijd,minstens,hoogstens"},
	// Russian, Polish and Turkish
	{anywhere, strict, false, false, "аллергия на,нельзя,запрещено,запрещается,запрещены,недопустимо,ни в коем случае,ни при каких,обязательно,обязан,обязаны,строго,категорически,необходимо,без исключений,не допускается,uczulenie na,uczulony na,uczulona na,alergię na,nie wolno,nie może,nie mogą,zabronione,zabroniony,zakazane,niedopuszczalne,pod żadnym pozorem,w żadnym wypadku,w żadnym razie,koniecznie,obowiązkowo,bezwzględnie,kategorycznie,bez wyjątku,bez wyjątków,alerjim,alerjisi,yasak,yasaktır,kesinlikle,asla,sakın,mutlaka,zorunlu,zorunludur,hiçbir koşulda,hiçbir şekilde,hiçbir zaman,istisnasız"},
	{duty, strict, false, false, "должен,должна,должно,должны,musi,muszą,musisz,ma być,mają być"},
	{habit, strict, false, false, "никогда,nigdy"},
	{bare, strict, false, false, "не"},
	{lead, strict, false, false, "никаких,избегай,избегайте,только,убедись,убедитесь,żadnych,unikaj,unikajcie,tylko,upewnij,pilnuj,przestań"},
	{anywhere, strict, true, false, "с этого момента,отныне,впредь,с сегодняшнего дня,с этой минуты,od teraz,od tej pory,odtąd,od dziś,od dzisiaj,na przyszłość,bundan sonra,bundan böyle,şu andan itibaren,bugünden itibaren,şimdiden sonra"},
	{anywhere, none, true, false, "вместо,больше не,передумал,передумала,теперь,zamiast,już nie,zmieniłem zdanie,zmieniłam zdanie,yerine,artık,vazgeçtim,fikrimi değiştirdim"},
	{habit, wish, false, false, "всегда,zawsze"},
	{bare, wish, false, false, "без,bez"},
	{should, wish, false, false, "нужно,надо,powinien,powinna,powinno,powinny,należy,trzeba"},
	{anywhere, wish, false, false, "исключительно,предпочитаю,я предпочитаю,мне нравится,мне не нравится,я люблю,я хочу,я не хочу,хотелось бы,мне удобнее,лучше,желательно,по умолчанию,помни,помните,запомни,запомните,учти,учтите,имей в виду,имейте в виду,не более,не больше,не менее,не меньше,максимум,минимум,как минимум,если не,кроме,без моего,без разрешения,без спроса,спроси,спрашивай,спрашивайте,правило,ограничение,не надо,не нужно,следует,не следует,каждый раз,стоит,старайся,постарайся,договорились,wyłącznie,jedynie,wolałbym,wolałabym,najlepiej,domyślnie,pamiętaj,pamiętajcie,zapamiętaj,miej na uwadze,weź pod uwagę,nie więcej niż,nie mniej niż,co najmniej,co najwyżej,maksymalnie,chyba że,z wyjątkiem,oprócz,bez pytania,bez mojej,zapytaj mnie,pytaj mnie,najpierw zapytaj,najpierw pokaż,powiedz to wprost,zasada,reguła,ograniczenie,za każdym razem,nie chcę,nie życzę sobie,proszę nie,lepiej nie,zależy mi,po polsku,po angielsku,po niemiecku,limit,budżet,zgody,pozwolenia,her zaman,daima,her seferinde,tercihim,lütfen sadece,lütfen yalnızca,en fazla,en az,en çok,izin almadan,bana sormadan,önce bana sor,aklında tut,dikkat et,kuralımız,sınırı,bütçe,bütçem,hariç,olmadıkça,istemiyorum,özen göster,açıkça söyle,türkçe,ingilizce,almanca"},
	{lead, wish, false, false, "держи,соблюдай,соблюдайте,ограничь,предпочитай,оставляй,оставь,следуй,trzymaj,przestrzegaj,ogranicz,preferuj,zostaw,stosuj"},
	{order, wish, false, false, "используй,используйте,пиши,пишите,отвечай,отвечайте,называй,применяй,применяйте,указывай,указывайте,начинай,заканчивай,добавляй,обращайся,говори,używaj,używajcie,pisz,piszcie,odpowiadaj,odpowiadajcie,nazywaj,zwracaj,podawaj,podaj,zaczynaj,kończ,dodawaj,mów,zapisuj,zaokrąglaj,cytuj,wymieniaj"},
	{anywhere, wish, false, false, "на английском,на русском,на немецком,по русски,по английски,предел,лимит,бюджет,раздражает,остаётся,остается,остаются,разрешение,разрешения,согласие,согласия,одобрение"},
	{loose, weak, false, false, "не,только,все,каждый,каждая,каждое,без,мы используем,секрет,конфиденциально,цель,wszystkie,każdy,każda,każde,bez,używamy,poufne,celem"},
	{last, wish, false, false, "kullanma,yazma,söyleme,gösterme,ekleme,verme,silme,dokunma,değiştirme,paylaşma,yapma,gönderme,bahsetme,sorma,koyma,önerme,geçme,kullanmayın,yazmayın,söylemeyin,göstermeyin,eklemeyin,vermeyin,silmeyin,dokunmayın,değiştirmeyin,paylaşmayın,yapmayın,göndermeyin,bahsetmeyin,sormayın,koymayın,önermeyin,geçmeyin,kaçın,kaçının,bana sor,bana göster,diye hitap et,sor önce,yer almalı,içermeli,aşmamalı,geçmemeli,olmamalı,yazılmalı,kullanılmalı,kullanılmamalı,verilmeli,verilmemeli,gösterilmeli,bulunmalı,edilmeli,edilmemeli,yapılmalı,yapılmamalı,eklenmeli,belirtilmeli,kısa olsun,kısa olmalı,sonuna ekle,başına ekle,da söyle,de söyle,da yaz,de yaz,da ekle,de ekle,olarak yaz,olarak göster"},
}

// signRows lists the cues for scripts without spaces, and for languages whose words are inflected at both ends.
var signRows = []cueRow{
	// Chinese
	{anywhere, strict, false, true, "不得,禁止,严禁,嚴禁,绝不,絕不,绝对不,絕對不,千万不要,千萬不要,千万别,切勿,永远不要,永遠不要,不许,不許,不准,不允许,不允許,不可以,不能"},
	{anywhere, strict, false, false, "过敏,過敏,必须,必須,务必,務必,一定要,一律,只能,只允许,只允許,只可以,得先"},
	{anywhere, strict, true, false, "从现在起,從現在起,从现在开始,從現在開始,今后,今後,从今以后,從今以後,往后,以后都,以后请"},
	{anywhere, wish, true, false, "改用,改为,改為,不再,改成"},
	{anywhere, wish, false, true, "不要,别太,別太,请勿,請勿,勿,请别,請別,别再,別再,别用,別用,别把,別把,别给,別給,别在,別在,别碰,別碰,别动,別動,避免,我不喜欢,我不喜歡,我不想,不用"},
	{anywhere, wish, false, false, "始终,始終,应当,應當,只用,仅限,僅限,以后,以後,记住,記住,牢记,注意,最多,至少,不超过,不超過,除非,优先,優先,尽量,盡量,我喜欢,我喜歡,我更喜欢,我希望,我偏好,我倾向,先问我,先問我,先跟我,先和我,要说明,要注明,要标明,要附上,经我同意,經我同意,规则,規則,要求,约定,限制,默认,默認,宁可,每次"},
	{anywhere, weak, false, false, "请用,請用,用中文,用英文,用英语,用英語,用日语,统一,統一,上限,预算,預算,回答要,回复要,回覆要,时候，请,時候，請,请使用,請使用,使用,请保持,保持,所有,每个,每個,全部,保密,目标,目標"},
	// Japanese
	{anywhere, strict, false, true, "絶対に,禁止,厳禁,してはいけない,てはいけません,てはならない,てはなりません,ないこと,では困る"},
	{anywhere, strict, false, false, "必ず,なければならない,なければなりません,必須,のみ可,に限る"},
	{anywhere, strict, true, false, "今後は,今後,これからは,以降は,これ以降"},
	{anywhere, wish, true, false, "の代わりに,ではなく,やめて,に変更"},
	{anywhere, wish, false, true, "しないで,ないでください,ないで下さい,ないようにして,避けて,控えて,不要です,嫌い,したくない"},
	{anywhere, wish, false, false, "常に,いつも,毎回,べき,だけ使,だけを使,のみ,以内,以上,以下,最大,最低,ようにして,てほしい,て欲しい,好みです,好きです,好む,の方がいい,のほうがいい,優先,なるべく,できるだけ,覚えておいて,注意,ルール,制約,前に確認,許可なく,許可を得,勝手に,除いて,限り"},
	{anywhere, weak, false, false, "返事は,返信は,回答は,使って,使用して,英語で,日本語で,中国語で,上限,予算,させてください,させて下さい,場合は,ときは,書いてください,書いて下さい,答えてください,答えて下さい,呼んでください,話してください,にしてください,にして下さい,表記してください,付けてください,入れてください,見せてください,聞いてください,すべて,全て,統一,目標,目的は"},
	// Korean
	{anywhere, strict, false, true, "금지,안 됩니다,안됩니다,안 된다,안 돼,안돼,말아야,하지 마,하지마,하지 말"},
	{anywhere, strict, false, false, "알레르기,반드시,해야 합니다,해야 한다,해야 해,해야합니다,해야 돼,꼭,필수"},
	{anywhere, strict, true, false, "앞으로는,앞으로,이제부터,지금부터,이후로는"},
	{anywhere, wish, true, false, "대신,더 이상,바꿔"},
	{anywhere, wish, false, true, "마세요,마십시오,말아 주세요,말아주세요,말고,피해,싫어,원하지 않"},
	{anywhere, wish, false, false, "항상,언제나,늘,매번,만 사용,만 써,만 쓰,최대,최소,이내,이하,이상,선호,원합니다,좋겠,좋아합니다,좋아해,기억,주의,규칙,제약,제한,허락,승인,물어보고,먼저 물어,먼저 확인,저에게 먼저,저한테 먼저,우선,가능하면,되도록,않는 한,제외"},
	{anywhere, weak, false, false, "사용해,사용하세요,영어로,한국어로,일본어로,중국어로,상한,예산,빼 주세요,빼주세요,하라고 해 주,써 주,써주,써줘,적어 주세요,답해 주세요,답변해 주세요,대답해 주세요,라고 불러,말해 주세요,표기해 주세요,표시해 주세요,물어봐 주세요,유지,모든,모두,목표"},
	// Arabic
	{anywhere, strict, false, true, "ألا ت,لا يجوز,ممنوع,يمنع,يُمنع,إياك,يحظر,لا يسمح,لا ت,لا يمكن,بأي حال"},
	{anywhere, strict, false, false, "يجب,لا بد من,إلزامي,ضروري,حتما"},
	{anywhere, strict, true, false, "من الآن,من الان,مستقبلا,بعد الآن"},
	{anywhere, wish, true, false, "بدلا من,بدلاً من,لم يعد,لم نعد"},
	{anywhere, wish, false, true, "تجنب,لا أريد,لا أحب,لا نريد"},
	{anywhere, wish, false, false, "دائما,دوما,احرص,تأكد,فقط,أفضل,افضل,أفضّل,أريد,أحب,ينبغي,تذكر,على الأقل,على الأكثر,كحد أقصى,كحد أدنى,إلا إذا,إلا بعد,ما لم,دون إذن,بدون إذن,اسألني,مهم,قاعدة,قيد,كل مرة,باستثناء,التزم"},
	{anywhere, weak, false, false, "نادني,استخدم,اكتب,بالعربية,بالإنجليزية,بالفرنسية,ميزانية,حد أقصى,أجب,جميع,كل ,الهدف"},
	// Hindi
	{anywhere, strict, false, true, "नहीं आने,नहीं आना,नहीं होने,न करें,नहीं करना,मत ,मत।,नहीं होना चाहिए,मना है,वर्जित,प्रतिबंधित,किसी भी हाल"},
	{anywhere, strict, false, false, "अनिवार्य,ज़रूरी,जरूरी,अवश्य,ही होना चाहिए,करना होगा,होना चाहिए"},
	{anywhere, strict, true, false, "अब से,आगे से,आज से,भविष्य में"},
	{anywhere, wish, true, false, "के बजाय,की बजाय,की जगह,अब नहीं"},
	{anywhere, wish, false, true, "बचें,न लिखें,बचो,नहीं चाहता,नहीं चाहती,पसंद नहीं"},
	{anywhere, wish, false, false, "हमेशा,केवल,सिर्फ,सिर्फ़,चाहिए,पसंद,ध्यान रखें,ध्यान रखना,याद रखें,याद रखना,सुनिश्चित,कम से कम,ज़्यादा से ज़्यादा,अधिकतम,तभी,जब तक,बिना पूछे,अनुमति,मुझसे पूछ,नियम,शर्त,हर बार,के अलावा"},
	{anywhere, weak, false, false, "कहकर बुला,हिंदी में,हिन्दी में,अंग्रेज़ी में,अंग्रेजी में,सीमा,बजट,उपयोग करें,प्रयोग करें,इस्तेमाल करें,रखें,चाहता हूँ,चाहती हूँ,सभी,हर ,लक्ष्य,उद्देश्य"},
}

// wordSets lists words that help to distinguish a statement from other sentences.
var wordSets = []struct {
	kind  wordKind
	words string
}{
	// A clause begins after these words.
	{conjunctions, "and but also so then or because since und aber oder denn et mais ou donc y e pero o mas ma и но а или also"},
	// If a clause begins with one of these words, the next word counts as its beginning too.
	{joins, "proszę lütfen please just kindly now ok okay so well hey btw fyi remember bitte also por favor svp merci s'il vous plaît te plaît пожалуйста per favore prego and but und"},
	{negations, "geen niet nooit zonder not never no don't dont doesn't isn't aren't can't cannot won't mustn't shouldn't avoid without nobody nothing none stop refrain nicht nie niemals kein keine keinen keinem ohne vermeide ne n' pas jamais aucun aucune sans évite évitez no nunca jamás sin evita não nem sem evite nunca non mai senza evita не нельзя никогда без никаких запрещено nie nigdy bez asla forbidden prohibited verboten interdit prohibido proibido vietato"},
	// A sentence that begins with one of these words tells a story unless it has a stronger cue.
	{narrators, "muszę mój moja byłem byłam był była ona oni to mam wczoraj devo debo tenho tengo ik hij het i i'm i've i'd i'll it's that's here's my he she they it that this there what how why when where who wow yeah oh thanks thank did do does is are was were had has have ich er sie es das war hat je il elle ils c' yo él ella eu ele ela io lui lei я он она они это"},
	// After these words, "always" or "never" belongs to a story.
	{tellers, "ona oni był była było były jest mają ik hij ze i he she they it you that this there has have had is was were are be been been i've he's it's they've you've you'd i'd you're we're they're she's that's there's who which ich er sie es ist war hat habe haben hast sind wurde je j'ai il elle est a ont ai yo él ella es ha he han fue eu ele ela é foi tem io lui lei è sono я он она они это ещё еще"},
	{shades, "mais meer больше more most less better try voll total echt really strongly absolutely generally usually typically definitely also personally truly genuinely particularly especially still totally completely simply honestly deeply very so rather quite actively fairly much big huge strong deep severe serious mild slight bit too even actually kind sort of a an the to am be been do does would 'd have has got had always often rarely long great bad real clear total lifelong just particularly only firmly strictly extremely incredibly super pretty trying lactose gluten histamine fructose sehr wirklich absolut überhaupt gar eine einen eher meist meistens gern gerne bin habe ganz so große starke très vraiment absolument pas trop suis ai une muy realmente mucho очень совсем вообще совершенно просто всегда"},
	{selves, "eu io нам ik i i'm i've i'd we we're we've ich wir je j' nous yo nosotros я мы мне меня"},
	{persons, "siostra brat matka mama tata ojciec mąż żona syn córka szef szefowa kolega koleżanka kardeşim annem babam eşim oğlum kızım patronum arkadaşım моё ik mijn hij ze haar zijn minha meu mia mio i i'm i've i'd i'll my me mine myself he she they he's she's they're his her their them him hers ich mein meine meinen er sie je j' il mon ma mes elle ils elles yo mi mis ella ellos я мой моя он она они его её"},
	{others, "he she him her his hers he's she's"},
	{things, "it that this there these those it's that's there's es das il ça ce cela eso esto это"},
	{addressees, "ti jij jouw u you your yours yourself you'd you're you'll du dir dich dein deine deiner deinen ihr euch sie ihre tu te toi ton ta tes vous votre vos tú usted tus ты вы тебе вам твой твои ваш ваши"},
	{pasts, "była był było były byli poszedł poszła zrobił zrobiła había habían quise wollte wollten quis disse had zei ging kwam gewild verteld mocht estive stato stata venu venue venus parti partie partis allé allée allés arrivé arrivée arrivés resté restée was were wasn't weren't had hadn't did didn't went came saw got said told took made found thought felt happened began became knew left met ran sat slept spoke spent stood woke wrote ate drank drove fell flew forgot gave grew heard kept lost paid broke bought brought built caught chose seen gone done been war waren hatte hatten wurde wurden ging kam sah sagte musste mussten konnte konnten était étaient avait avaient ai fut era eran fue fueron estaba estaban tenía tuve tuvo pude pudo fui hizo hice dijo llegaba llamó llegó были была было был"},
	{days, "wczoraj jutro dzisiaj dziś dün bugün yarın gisteren vandaag yesterday tomorrow tonight today ago gestern morgen heute hier demain aujourd'hui ayer mañana hoy вчера завтра сегодня ontem amanhã hoje ieri domani oggi"},
	{products, "answer answers reply replies response responses output outputs message messages text texts sentence sentences paragraph paragraphs word words bullet bullets list lists table tables heading headings title titles name names code file files function functions variable variables comment comments commit commits test tests branch branches merge merges patch patches number numbers date dates amount amounts price prices temperature temperatures times unit units email emails summary summaries report reports explanation explanations example examples link links source sources recipe recipes suggestion suggestions recommendation recommendations translation translations tone style format spelling language grammar punctuation emoji emojis step steps draft drafts document documents section sections plan plans password passwords library libraries dependency dependencies module record records migration migrations antwort antworten satz sätze wort wörter zahl zahlen liste listen überschrift überschriften titel datei dateien preis preise zusammenfassung zusammenfassungen beispiel beispiele quelle quellen bericht berichte réponse réponses phrase phrases mot mots liste listes titre titres nombre nombres résumé résumés exemple exemples fichier fichiers prix respuesta respuestas frase frases palabra palabras lista listas título títulos número números resumen resúmenes ejemplo ejemplos archivo archivos precio precios ответ ответы ответе ответов предложение предложения слово слова список списки заголовок заголовки число числа пример примеры файл файлы"},
	{quantifiers, "ogni elke elk iedere every each all any everything anything both jede jedem jeder jedes jeden alle allen aller chaque tous toutes tout cada todo todos toda todas каждый каждая каждое каждую все всех"},
	{lastingly, "zawsze nigdy daima asla mai altijd nooit overal always never whenever throughout entire everywhere anytime immer nie niemals stets überall nirgends nirgendwo toujours jamais partout siempre nunca всегда никогда везде"},
	{numbers, "drie trois tre três три due duas dois две one two three four five six seven eight nine ten eleven twelve twenty thirty forty fifty hundred thousand dozen few several first second third zwei drei vier fünf deux trois quatre cinq dos tres cuatro cinco два три четыре пять"},
	{tasks, "um uma een a an the some this that these those it down about here ein eine einen das der die un une le la les una el los las"},
	{idle, "zaman yazık wiem myślę jestem mam mogę rozumiem pamiętam martw przejmuj szkodzi ma wydaje sądzę było był była byłem byłam udało zdążę dziwię żałuję spiesz pasa laugh eile hetze presse prisa спешки problem problems worry worries idea way thanks thank doubt wonder rush kidding clue chance hurry luck big deal sure really bad yet exactly that mind going safe tuned posted well so hesitate get know think understand panic forget cry matter offense offence pun imagine see bet go find warm dry strong back welcome more all at surprise question questions shit joke pressure biggie comment up right there bueno bien creo sé hay es estoy está fue era puedo tengo problem frage ahnung wahr angst stress sorge sorgen problème problèmes souci soucis grave mal problema problemas проблема проблемы знаю думаю уверен уверена понимаю так то могу"},
	{moods, "męczące trudne dumny dumna dumne smutne szczęśliwy fier fière fiers orgulloso orgullosa épuisé épuisée crevé agotado agotada enough reichen genügen suffire bastar хватить гордиться tired exhausted exhausting exhaust proud happy sad sunny rainy warm cold hot nice lovely great fun hard tough difficult easy easier exciting excited thrilled nervous scary awful amazing beautiful wonderful terrible joking kidding crazy mad angry upset hungry starving thirsty busy lonely sick asleep awake home late early here there fine okay ok good better worse best raining snowing interesting stressful frustrating annoying confusing painful heartbreaking devastating relieved disappointed wondering thinking feeling loving enjoying missing müde sonnig schön schwer traurig glücklich stolz anstrengend fatigué fatiguée beau content contente difficile cansado cansada sol contento contenta difícil солнечно тепло холодно трудно устал устала"},
	{beings, "być be sein être ser estar быть"},
	{advice, "miss imagine believe guess probieren sehen versuchen goûter voir essayer probar ver see try visit watch read hear taste come meet go check ask be know have feel"},
	{reactions, "that it this your you you're how them him her he she they idea way fact sound smell look thought what so das es dich ça te lo"},
	{moment, "temps tiempo tempo zeit veux peux quieres puedes willst kannst chance time moment minute second ready done free home back want wish need can could feel think know get wrong okay ok fine possible have"},
	{agains, "again now anymore longer wieder nouveau nuevo снова опять"},
	{verbs, "comment format name list quote answer reply number title mention call sign put end"},
	// After "always" or "never", these words make a rule even of a sentence that tells a story.
	{habits, "want wants need prefer use used keep run commit push ask be write test review squash check answer touch"},
	// If one of these words is the subject of a duty, the sentence tells a story.
	{singles, "ik i he she you'd he'd ich er je j' yo eu io я"},
	{done, "cost put hurt shut come become taken eaten written driven fallen flown frozen given grown known shown stolen thrown worn broken chosen spoken been missed forgotten forgot gotten seen gone done lost misread misunderstood"},
	{wishes, "can could would please will kannst könntest könnten bitte würdest peux peut pouvez pourrais pourriez puedes podrías puede podría por pode poderia você puoi potresti può potrebbe можешь можете могли пожалуйста"},
	{pronouns, "that this it so those these them there das dies so ça cela ceci eso esto así isso isto assim questo così это этого так"},
	{ruleNouns, "rule rules constraint constraints guideline guidelines requirement requirements convention conventions preference preferences policy policies restriction restrictions dos don'ts instructions principles standards regel regeln vorgaben richtlinien einschränkungen konventionen règles règle contraintes consignes préférences conventions reglas regla restricciones preferencias normas requisitos regras regra restrições preferências diretrizes regole regola vincoli preferenze convenzioni правила правило ограничения требования предпочтения"},
	{pasteNouns, "log logs output error errors stacktrace trace traceback file code snippet config configuration readme email mail message article page website webpage text document doc docs diff patch transcript response reply report quote post issue ticket comment comments review excerpt content contents letter chat thread result results stdout stderr ausgabe fehler datei text nachricht artikel seite protokoll brief journal sortie erreur fichier texte courriel article page message registro salida archivo texto correo artículo página mensaje saída arquivo texto artigo página mensagem uscita file testo articolo pagina messaggio лог логи вывод ошибка файл код текст письмо статья страница сообщение документ"},
	{pastePointers, "here here's this these below following attached above pasted got get gives hier folgende folgender folgendes dies voici voilà suivant suivante aquí este esta siguiente aqui seguinte ecco questo questa seguente вот этот эта это следующий summarize summarise translate proofread review analyze analyse"},
	{reportVerbs, "says said reads wrote states writes sagt schreibt dit disait écrit dice dijo escribió diz disse escreveu dice ha говорит пишет написал сказал summarize summarise translate proofread paraphrase"},
	// These words begin a question.
	{askers, "what which who whom whose when where why how is are am was were do does did has have had can could will would shall should may might must any"},
	{askers, "was welche welcher welches wer wem wen wann wo warum wieso wie ist sind war waren hat haben kann können könnte soll sollen sollte darf dürfen muss müssen wird werden gibt geht passt macht"},
	{askers, "que quoi quel quelle quels quelles qui quand où pourquoi comment combien est sont peut puis dois doit faut"},
	{askers, "qué cuál cuáles quién cuándo dónde cómo cuánto cuántos es son está están puedo puede debo debe hay"},
	{askers, "o que qual quais quem quando onde como quanto é são está posso pode devo deve há"},
	{askers, "che cosa quale quali chi quando dove come quanto è sono posso può devo deve"},
	{askers, "что какой какая какие кто когда где почему зачем как сколько можно нужно надо ли"},
	// These words begin a condition.
	{conditions, "if when whenever whether unless while before after once since because though although"},
	{conditions, "wenn falls sobald solange bevor nachdem weil obwohl ob"},
	{conditions, "si quand lorsque avant après parce"},
	{conditions, "cuando antes después porque aunque"},
	{conditions, "se quando antes depois porque"},
	{conditions, "prima dopo perché"},
	{conditions, "если когда пока потому хотя"},
}

// ruleSigns lists words for rules, and pasteSigns lists words for pasted texts, both in scripts without spaces.
var (
	ruleSigns  = []string{"规则", "規則", "约束", "要求", "规范", "偏好", "ルール", "制約", "規約", "규칙", "제약", "قواعد", "القواعد", "नियम"}
	pasteSigns = []string{"日志", "输出如下", "报错", "以下内容", "原文", "如下", "翻译", "ログ", "出力", "以下の", "エラー", "로그", "출력", "오류",
		"다음은", "السجل", "المخرجات", "النص التالي", "लॉग", "आउटपुट"}
)

// alternativeRows lists groups of alternatives, one group per row. A project or a user uses one of them at a time, so
// naming another one from the same row is a change of mind.
var alternativeRows = []string{
	"tab tabs space spaces tabulatoren leerzeichen tabulations espaces tabulaciones espacios табы пробелы",
	"npm yarn pnpm bun",
	"pip poetry uv conda pipenv",
	"metric imperial",
	"celsius fahrenheit kelvin",
	"kilometers kilometres miles km",
	"english german french spanish portuguese italian russian chinese japanese korean arabic hindi dutch polish turkish swedish deutsch englisch französisch spanisch français anglais allemand español inglés alemán português inglês italiano inglese русский русском английский английском немецкий немецком французский французском испанский испанском italienisch portugiesisch russisch chinesisch japanisch niederländisch polnisch englische deutsche italien portugais russe chinois japonais néerlandais ruso chino japonés italiano portugués francés francês alemão espanhol italian francese tedesco spagnolo portoghese russo cinese giapponese",
	"snake_case camelcase pascalcase kebab snakecase",
	"british american",
	"jest vitest mocha",
	"pytest unittest nose",
	"merge rebase squash",
	"dark light",
	"postgres postgresql mysql sqlite mariadb mongodb",
	"formal informal casual formally informally casually",
	"gitlab github bitbucket",
	"python typescript javascript rust golang java kotlin ruby",
	"react vue svelte angular solid",
	"short long brief concise detailed verbose terse lengthy kurz lang ausführlich court bref détaillé",
	"du sie duzen siezen duze sieze duzt siezt",
	"tutoyer vouvoyer tutoie vouvoie tutoies vouvoies tutoyons vouvoyons",
	"json yaml toml xml",
	"am pm",
}

// alternativeSigns is like alternativeRows, for scripts without spaces.
var alternativeSigns = [][]string{
	{"制表符", "空格", "タブ", "スペース", "탭", "공백"},
	{"中文", "英文", "英语", "英語", "日语", "日文", "日本語", "中国語", "韩语", "韓国語", "한국어", "영어", "일본어", "중국어", "العربية", "الإنجليزية", "الفرنسية", "हिंदी", "हिन्दी", "अंग्रेज़ी", "अंग्रेजी"},
	{"简体", "繁体", "繁體"},
	{"敬語", "タメ口", "존댓말", "반말"},
	{"公制", "英制"},
}

// stopRows lists words that say nothing about the subject of a statement.
var stopRows = []string{
	"enough plenty remember a an the of to in on at by for with from into as is are was were be been being it its this that these those there here and or but if then than so not no nor do does did don't doesn't we you your yours our us i me my mine they them their he she his her will would can could may might shall should must have has had just also too very more most much many any all each every some such only own same when whenever while where which who whom whose what how why please always never from now until over under again once please use used using make makes made let get keep sure want wants need needs like please still even ever one ones thing things way rule rules said say told earlier before again back anymore longer forget ignore drop okay ok fine allowed about mind changed actually instruction instructions",
	"der die das den dem des ein eine einen einem einer und oder aber wenn dann als so nicht kein keine ist sind war im in am an auf bei für mit von zu zum zur aus nach über unter ich du er sie es wir ihr mir dir uns mich dich bitte immer nie nur auch noch mehr verwende benutze nutze mache wird werden regel gesagt wieder doch musst darfst kannst vergiss",
	"le la les l' un une des du de d' et ou mais si ne n' pas que qui est sont en dans sur pour par avec au aux ce cette ces il elle nous vous je tu mon ma mes ton ta tes votre vos toujours jamais utilise utilisez utiliser plus plaît peux peut pouvez fait",
	"el la los las un una unos unas de del y o pero si no que es son en con por para al lo se su sus mi tu yo nosotros siempre nunca usa use uses usar utiliza utilizar más",
	"o a os as um uma de do da dos das e ou mas se não que é são em no na com por para ao seu sua meu minha sempre nunca use usa",
	"il lo la i gli le un uno una di del della dei e o ma se non che è sono in con per al su mio tuo sempre mai usa",
	"и или но а если не что это в на с со по для от к у из за о об мы вы я ты он она они мой твой ваш наш всегда никогда только используй используйте использовать бы же",
	"कर करें करना सकते सकती हो है हैं का की के को से अब उपयोग इस्तेमाल",
}

package dates

import (
	"strconv"
	"strings"
	"sync"

	"github.com/ctxfold/ctxfold/core/internal/critbit"
	"github.com/ctxfold/ctxfold/core/internal/words"
)

// Mention is a day, a month or a year that text expresses relative to the day on which the text was written, such
// as "yesterday" or "last month". The expression ends at text[End:].
type Mention struct {
	Date
	End int // bytes
}

// unit is the unit of a distance in time. The zero value is no unit.
type unit uint8

const (
	noUnit unit = iota
	aDay
	aWeek
	aMonth
	aYear
	weekday // a day of the week, by name
)

// phrase is a sequence of words that expresses a distance in time. Words are compared in lower case; "#" matches a
// number, and "@" the name of a weekday.
type phrase struct {
	words []string // in lower case
	n     int      // the distance in units, to be multiplied by the number for "#"
	unit  unit     // the unit of n
}

// phraseRows lists phrases, separated by commas, in languages in which people write to assistants. Weeks occur only
// with a number: "last week" isn't a day, and the day on which it was said is shown in any case.
var phraseRows = []struct {
	n       int
	unit    unit
	phrases string
}{
	{-1, aDay, "yesterday,last night,gestern,hier,ayer,anoche,ontem,ieri,gisteren,вчера,أمس"},
	{-2, aDay, "the day before yesterday,vorgestern,avant hier,anteayer,antes de ayer,anteontem,l altro ieri,eergisteren,позавчера"},
	{1, aDay, "tomorrow,morgen früh,demain,amanhã,domani,завтра,غدا"},
	{2, aDay, "the day after tomorrow,übermorgen,après demain,pasado mañana,depois de amanhã,dopodomani,overmorgen,послезавтра"},
	{-1, aMonth, "last month,letzten monat,vorigen monat,le mois dernier,el mes pasado,mês passado,mese scorso,vorige maand,в прошлом месяце,الشهر الماضي,पिछले महीने"},
	{1, aMonth, "next month,nächsten monat,le mois prochain,el próximo mes,el mes que viene,próximo mês,mês que vem,prossimo mese,volgende maand,в следующем месяце,الشهر القادم,अगले महीने"},
	{-1, aYear, "last year,letztes jahr,voriges jahr,l année dernière,l an dernier,el año pasado,ano passado,anno scorso,vorig jaar,в прошлом году,العام الماضي,السنة الماضية,पिछले साल"},
	{1, aYear, "next year,nächstes jahr,l année prochaine,l an prochain,el próximo año,el año que viene,próximo ano,ano que vem,anno prossimo,volgend jaar,в следующем году,العام القادم,अगले साल"},
	{-1, aDay, "# day ago,# days ago,vor # tag,vor # tagen,il y a # jour,il y a # jours,hace # día,hace # días,há # dias,# giorni fa,# dagen geleden,# дня назад,# дней назад,день назад,# दिन पहले"},
	{-7, aDay, "# week ago,# weeks ago,vor # woche,vor # wochen,il y a # semaine,il y a # semaines,hace # semana,hace # semanas,há # semanas,# settimane fa,# weken geleden,# недели назад,# недель назад,неделю назад,# हफ़्ते पहले"},
	{-1, aMonth, "# month ago,# months ago,vor # monat,vor # monaten,il y a # mois,hace # mes,hace # meses,há # meses,# mesi fa,# maanden geleden,# месяца назад,# месяцев назад,месяц назад,# महीने पहले"},
	{-1, aYear, "# year ago,# years ago,vor # jahr,vor # jahren,il y a # an,il y a # ans,hace # año,hace # años,há # anos,# anni fa,# jaar geleden,# года назад,# лет назад,год назад,# साल पहले"},
	{-1, weekday, "last @,letzten @,vorigen @,@ dernier,el @ pasado,@ passada,@ scorso,afgelopen @,в прошлый @,в прошлую @"},
	{1, weekday, "next @,nächsten @,kommenden @,@ prochain,el próximo @,próxima @,@ prossimo,volgende @,в следующий @,в следующую @"},
}

// signRows lists the same kinds of expressions in scripts without spaces.
var signRows = []struct {
	n     int
	unit  unit
	signs string
}{
	{-2, aDay, "前天 一昨日 おととい 그저께"}, {-1, aDay, "昨天 昨日 昨晚 きのう 어제"}, {2, aDay, "后天 後天 明後日 모레"}, {1, aDay, "明天 あした 내일"},
	{-1, aMonth, "上个月 上個月 先月 지난달"}, {1, aMonth, "下个月 下個月 来月 다음 달"}, {-1, aYear, "去年 昨年 작년 지난해"}, {1, aYear, "明年 来年 내년"},
}

// weekdays lists the names of Monday to Sunday from CLDR (release 48), with short names in English.
var weekdays = [7]string{
	"monday mon montag lundi lunes segunda lunedì maandag понедельник",
	"tuesday tue tues dienstag mardi martes terça martedì dinsdag вторник",
	"wednesday wed mittwoch mercredi miércoles quarta mercoledì woensdag среду",
	"thursday thu thurs donnerstag jeudi jueves quinta giovedì donderdag четверг",
	"friday fri freitag vendredi viernes sexta venerdì vrijdag пятницу",
	"saturday sat samstag sonnabend samedi sábado sabato zaterdag субботу",
	"sunday sun sonntag dimanche domingo domenica zondag воскресенье",
}

// IsWeekday reports whether a word in lower case is the name of a day of the week.
func IsWeekday(word string) bool { return weekdayList.Has(word) }

// numbers lists the words for the numbers from one to ten.
var numbers = []string{"a one ein eine einem einer un une uno una um uma een один одну एक",
	"two zwei deux dos dois duas due twee два две दो", "three drei trois tres três tre drie три तीन",
	"four vier quatre cuatro quatro quattro четыре चार", "five fünf cinq cinco cinque vijf пять पाँच",
	"six sechs seis sei zes шесть", "seven sieben sept siete sete sette zeven семь",
	"eight acht huit ocho oito otto восемь", "nine neun neuf nueve nove negen девять",
	"ten zehn dix diez dez dieci tien десять"}

var (
	weekdayList = words.NewTable(weekdays[:]...)
	numberList  = words.NewTable(numbers...)
)

// phrases returns the phrases by their first word that is not a placeholder, which is the first or the second word.
// The map is built on first use, because data that exists when the program starts becomes part of the module.
var phrases = sync.OnceValue(func() *critbit.Map[[]phrase] {
	byWord := new(critbit.Map[[]phrase])
	for _, row := range phraseRows {
		for text := range strings.SplitSeq(row.phrases, ",") {
			p := phrase{strings.Fields(text), row.n, row.unit}
			list := byWord.At(p.words[p.offset()])
			*list = append(*list, p)
		}
	}
	return byWord
})

func (p *phrase) offset() int {
	if p.words[0] == "#" || p.words[0] == "@" {
		return 1
	}
	return 0
}

// mostDistance is the maximum number in a phrase, in units.
const mostDistance = 400

// Relative returns, in order, the times that text expresses relative to day, the day on which it was written. It
// returns none if the year or the day is unknown.
func Relative(text string, ws []words.Word, day Date) (found []Mention) {
	if day.Year() == 0 || day.Day() == 0 {
		return nil
	}
	low := make([]string, len(ws))
	for i, w := range ws {
		if w.Kind&words.Pair == 0 {
			low[i] = strings.ToLower(text[w.From:w.End])
		}
	}
	byWord := phrases()
	for i := 0; i < len(ws); {
		list, _ := byWord.Get(low[i])
		m, n := phraseAt(list, ws, low, i, day)
		if n == 0 && ws[i].Kind&words.Pair != 0 {
			m, n = signAt(text, ws, i, day)
		}
		if m.End > 0 {
			found = append(found, m)
		}
		i += max(n, 1)
	}
	return found
}

// phraseAt returns the time that one of the phrases in list expresses. Word i is their first word that isn't a
// placeholder. taken is the number of words from there to the end of the phrase, or 0 if there is no phrase. If the
// resulting date is invalid, the Mention has no End. low holds the words in lower case.
func phraseAt(list []phrase, ws []words.Word, low []string, i int, day Date) (m Mention, taken int) {
	for k := range list {
		p := &list[k]
		at := i - p.offset()
		if at < 0 {
			continue
		}
		if n, number := p.at(low[at:]); n > 0 {
			if d := day.plus(p.n*number, p.unit, number); d != 0 {
				m = Mention{d, int(ws[at+n-1].End)}
			}
			return m, at + n - i
		}
	}
	return m, 0
}

// signAt returns the time that signs beginning at word i express, and the number of words that the signs cover, or 0 if
// there are none.
func signAt(text string, ws []words.Word, i int, day Date) (m Mention, taken int) {
	at := int(ws[i].From)
	for _, row := range signRows {
		for sign := range strings.SplitSeq(row.signs, " ") {
			if !strings.HasPrefix(text[at:], sign) {
				continue
			}
			end := at + len(sign)
			for taken = 1; i+taken < len(ws) && int(ws[i+taken].From) < end; taken++ {
			}
			return Mention{day.plus(row.n, row.unit, 1), end}, taken
		}
	}
	return m, 0
}

// at returns the number of words in the phrase if low begins with the phrase, otherwise 0. number is the number or
// the weekday in it, or 1 if it has none.
func (p *phrase) at(low []string) (n, number int) {
	if len(low) < len(p.words) {
		return 0, 0
	}
	number = 1
	for i, w := range p.words {
		switch {
		case w == "#":
			number = countNamed(low[i])
		case w == "@":
			number = weekdayList.Row(low[i])
		case low[i] != w:
			return 0, 0
		}
		if number == 0 || number > mostDistance {
			return 0, 0
		}
	}
	return len(p.words), number
}

// countNamed returns the number that a word names, or writes with up to three digits; 0 if the word is not a number.
func countNamed(word string) int {
	number := numberList.Row(word)
	if digits := digitsAt(word); number == 0 && digits == len(word) && digits > 0 && digits < 4 {
		for _, c := range word {
			number = number*10 + int(c-'0')
		}
	}
	return number
}

// plus returns the date n units after a day; for months and years, the result has no day. If u is weekday, it returns
// the last such weekday before the day (n < 0) or the next one after it; number identifies the weekday, from 1 for
// Monday.
func (d Date) plus(n int, u unit, number int) Date {
	switch u {
	case aDay:
		return ofDays(d.days() + n)
	case aMonth:
		m := d.Year()*12 + d.Month() - 1 + n
		return New(m/12, m%12+1, 0)
	case aYear:
		return New(d.Year()+n, 0, 0)
	case weekday:
		days := d.days()
		at := (days + 3) % 7 // Monday is 0: 1970-01-01 was a Thursday
		step := (number - 1 - at + 7) % 7
		switch {
		case n < 0:
			step -= 7
		case step == 0:
			step = 7
		}
		return ofDays(days + step)
	}
	return 0
}

// days returns the number of days from 1970-01-01 to a day.
func (d Date) days() int {
	y, m := d.Year(), d.Month()
	if m <= 2 {
		y, m = y-1, m+12
	}
	return 365*y + y/4 - y/100 + y/400 + (153*(m-3)+2)/5 + d.Day() - 1 - 719468
}

// ofDays returns the day that is the given number of days after 1970-01-01, or 0 if it is before March of the year 0.
func ofDays(days int) Date {
	// This converts days to a calendar date, in years that begin in March.
	z := days + 719468
	if z < 0 {
		return 0
	}
	era := z / 146097
	doe := z - era*146097
	yoe := (doe - doe/1460 + doe/36524 - doe/146096) / 365
	doy := doe - (365*yoe + yoe/4 - yoe/100)
	mp := (5*doy + 2) / 153
	day, month, year := doy-(153*mp+2)/5+1, mp+3, yoe+era*400
	if month > 12 {
		month, year = month-12, year+1
	}
	return New(year, month, day)
}

// InStyleOf spells a date in the style of like, a day of the same month that is spelled with the month's name. If like
// is "8 May, 2023", the seventh is "7 May, 2023", and the month is "May 2023". It returns false if like has another
// form.
func (d Date) InStyleOf(like string) (string, bool) {
	ws := words.Append(nil, like)
	if len(ws) != 3 {
		return "", false
	}
	month, number, year := -1, -1, -1
	for i, w := range ws {
		switch spelled := like[w.From:w.End]; {
		case monthNamed(strings.ToLower(spelled)) == d.Month():
			month = i
		case digitsAt(spelled) == 4:
			year = i
		case digitsAt(spelled) > 0:
			number = i
		}
	}
	if month < 0 || number < 0 || year != 2 {
		return "", false
	}
	if d.Day() == 0 {
		return like[ws[month].From:ws[month].End] + " " + string(d.Append(nil))[:4], true
	}
	text := ""
	from := 0
	for i, w := range ws {
		switch i {
		case number:
			text += like[from:w.From] + strconv.Itoa(d.Day())
			from = int(w.End)
		case year:
			text += like[from:w.From] + string(d.Append(nil))[:4]
			from = int(w.End)
		}
	}
	return text + like[from:], true
}

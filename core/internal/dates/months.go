package dates

import "github.com/ctxfold/ctxfold/core/internal/words"

// monthNames lists the names of the twelve months from CLDR (release 48), including the forms that are used with a day,
// in English, German, French, Spanish, Portuguese, Italian, Dutch, Swedish, Danish, Norwegian, Polish, Czech,
// Hungarian, Romanian, Russian, Ukrainian, Bulgarian, Greek, Turkish, Indonesian, Arabic, Persian, Hebrew, Hindi and
// Bengali, and short names in English and German. Languages that number their months need no names.
var monthNames = [12]string{
	"enero gennaio ianuarie jan janeiro januar januari january január janvier leden ledna ocak styczeń stycznia ιανουάριος ιανουαρίου січень січня январь января януари ינואר يناير ژانویه जनवरी জানুয়ারি",
	"feb febbraio febrero februar februari februarie february február fevereiro février lutego luty únor února şubat φεβρουάριος φεβρουαρίου лютий лютого февраль февраля февруари פברואר فبراير فوریه फ़रवरी ফেব্রুয়ারি",
	"březen března maart mar marca march maret mars mart martie marts marzec marzo março március mär märz μάρτιος μαρτίου березень березня март марта מרץ مارس मार्च মার্চ",
	"abril apr april aprile aprilie avril duben dubna kwiecień kwietnia nisan április απρίλιος απριλίου апрель апреля април квітень квітня אפריל آوریل أبريل अप्रैल এপ্রিল",
	"květen května maggio mai maio maj maja may mayo mayıs mei május μάιος μαΐου май мая травень травня מאי مايو مه मई মে",
	"czerwca czerwiec giugno haziran iunie juin jun june junho juni junio június červen června ιουνίου ιούνιος июнь июня червень червня юни יוני يونيو ژوئن जून জুন",
	"iulie juillet jul julho juli julio july július lipca lipiec luglio temmuz července červenec ιουλίου ιούλιος июль июля липень липня юли יולי يوليو ژوئیه जुलाई জুলাই",
	"agosto agustus août aug august augusti augustus augusztus ağustos sierpień sierpnia srpen srpna αυγούστου αύγουστος август августа серпень серпня אוגוסט أغسطس اوت अगस्त আগস্ট",
	"eylül sep september septembre septembrie septiembre setembro settembre szeptember wrzesień września září σεπτέμβριος σεπτεμβρίου вересень вересня сентябрь сентября септември ספטמבר سبتمبر سپتامبر सितंबर সেপ্টেম্বর",
	"ekim oct october octobre octombrie octubre okt oktober október ottobre outubro październik października říjen října οκτωβρίου οκτώβριος жовтень жовтня октомври октябрь октября אוקטובר أكتوبر اکتبر अक्टूबर অক্টোবর",
	"kasım listopad listopada listopadu noiembrie nov november novembre novembro noviembre νοέμβριος νοεμβρίου листопад листопада ноември ноябрь ноября נובמבר نوامبر نوفمبر नवंबर নভেম্বর",
	"aralık dec december decembrie desember dez dezember dezembro dicembre diciembre décembre grudnia grudzień prosince prosinec δεκέμβριος δεκεμβρίου грудень грудня декабрь декабря декември דצמבר دسامبر ديسمبر दिसंबर ডিসেম্বর",
}

// months maps the name of a month, in any of the supported languages, to its number, from 1 to 12.
var months = words.NewTable(monthNames[:]...)

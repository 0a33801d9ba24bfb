package mention_test

import (
	"strings"

	"golang.org/x/text/unicode/norm"

	"earshot/internal/track/mention"
)

// hardPanel are made-up brands whose names are also words, need matching rules, or use scripts
// with special rules.
var hardPanel = []mention.BrandNames{
	{Name: "Ollaro", Domains: []string{"ollaro.example"}},
	{Name: "Kestrin"},
	{Name: "Café Lumio"},
	{Name: "Мирель"},
	{Name: "Ολβίος"},

	{Name: "VEX", Match: mention.Match{Case: "exact"}},
	{Name: "Nord Vale", Match: mention.Match{Joined: true}},
	{Name: "Harbor", Match: mention.Match{Near: []string{"insurer", "insurance"}, Within: 4}},
	{Name: "Tessera", Match: mention.Match{Not: []string{"Tessera Hall"}}},
	{Name: "Zed++"},
	{Name: "Q&R"},
	{Name: "星河堂"},
	{Name: "ミラノワ"},
	{Name: "ลูมินา"},
	{Name: "하루온", Match: mention.Match{Suffixes: []string{"은", "는", "이", "가", "을", "를", "의"}}},
	{Name: "نورفال", Match: mention.Match{Prefixes: []string{"و", "ف", "ب", "ل", "ال"}}},
	{Name: "सुरलोक"},
}

// plainNames are the names that fit in any sentence.
var plainNames = []string{"Ollaro", "Kestrin", "Café Lumio", "Мирель", "Ολβίος"}

// padding separates sentences by more words than any matching rule considers.
const padding = "All of this was checked twice in the last week of the month, by hand and with care, and none of it is new."

// disguises return spellings and formats of a name.
var disguises = []func(name string) string{
	func(name string) string { return name },
	strings.ToUpper,
	strings.ToLower,
	norm.NFD.String,
	fullWidth,
	func(name string) string { return firstTwo(name, "\u00AD") },                              // a soft hyphen
	func(name string) string { return firstTwo(name, "\u200B") },                              // no width
	func(name string) string { return "**" + name + "**" },                                    // bold
	func(name string) string { return firstTwo(name, "**") + "**" },                           // bold from the middle on
	func(name string) string { return "[" + name + "](https://shop.example/page?id=7)" },      // text of a link
	func(name string) string { return "`" + name + "`" },                                      // code
	func(name string) string { return strings.Replace(name, " ", "<br>", 1) },                 // over a line break
	func(name string) string { return "“" + name + "”" },                                      // in quotes
	func(name string) string { return name + "’s" },                                           // possessive
	func(name string) string { return strings.NewReplacer("é", "e", "ί", "ι").Replace(name) }, // without accents
}

// firstTwo inserts a string after the first two characters.
func firstTwo(name, between string) string {
	runes := []rune(name)
	return string(runes[:2]) + between + string(runes[2:])
}

// fullWidth converts ASCII characters to full-width forms.
func fullWidth(name string) string {
	return strings.Map(func(r rune) rune {
		if r > ' ' && r < 0x7F {
			return r + 0xFEE0
		}
		return r
	}, name)
}

// naming are sentences that name a brand.
var naming = []string{
	"Most testers prefer {} for long days.",
	"{} is not cheap, and not for everybody.",
	"I could not find any details about the colours, but {} lasts for years.",
	"1. {} – light and tough\n2. something else",
	"- warm\n- {}: dry and warm",
	"| Make | Weight |\n|---|---|\n| {} | 240 g |",
	"### {} in short",
	"Am besten schnitt {} ab.",
	"Zum Preis konnte ich nichts herausfinden; {} ist aber überall zu haben.",
	"Les randonneurs choisissent souvent {} pour l’hiver.",
	"Muchos prefieren {} por su peso.",
	"Molti scelgono {} per la montagna.",
	"Muitos preferem {} no inverno.",
	"Veel wandelaars kiezen {} voor de winter.",
	"Wielu wybiera {} na zimę.",
	"Многие выбирают {} для походов.",
	"Πολλοί προτιμούν {} για το βουνό.",
	"Birçok kişi {} tercih ediyor.",
	"登山者は「{}」をよく選びます。",
	"很多人喜欢「{}」的背包。",
	"많은 사람이 {} 배낭을 고른다.",
	"يفضل كثيرون {} في الشتاء.",
}

// decoys are sentences that contain the name of a brand without naming the brand.
var decoys = []string{
	"The x{}ist school of thought is older.", // inside words
	"They call it {}ology, or {}ismus.",
	"More is on [this page](https://shop.example/{}-review).", // in a target
	"![{} logo](https://shop.example/logo.png) A picture says more.",
	"See https://shop.example/{}/all for the rest.",
	"Write to {}@mail.example for a list.",
	"<!-- {} --> Nothing stands here.",
	"The code is `https://api.example/{}` and no other.",
	"I could not find any information about {}.",
	"There is no information on {}; ask the shop.",
	"Zu {} liegen mir keine Angaben vor.",
	"Je n'ai rien trouvé sur {}.",
	"No encontré información sobre {}.",
	"Non ho trovato informazioni su {}.",
	"Não encontrei informações sobre {}.",
	"Over {} is geen informatie te vinden.",
	"Brak informacji o marce {}.",
	"К сожалению, нет информации о марке {}.",
	"Δεν βρήκα πληροφορίες για {}.",
	"{}に関する情報は見つかりませんでした。",
	"没有找到关于{}的资料。",
	"{} 관련 정보를 찾을 수 없습니다.",
	"لم أجد معلومات عن {}.",
}

// special is a text with the name of a brand or a similar word.
type special struct {
	brand string
	named bool
	text  string
}

var specials = []special{
	{"Ollaro", true, "There is more at ollaro.example/shoes for those who ask."},
	{"Ollaro", false, "There is more at notollaro.example for those who ask."},
	{"VEX", true, "The VEX line is back."},
	{"VEX", false, "Long queues vex everybody, and Vex is a verb."},
	{"Nord Vale", true, "The Nord-Vale tent and its poles are sold apart."},
	{"Nord Vale", true, "A NORDVALE tent lasts."},
	{"Nord Vale", false, "Nordvalen is a valley, and Nord of it is Vale."},
	{"Harbor", true, "Among them the insurer Harbor pays fast."},
	{"Harbor", false, "The ships lie in the harbor until the storm is over."},
	{"Tessera", true, "A Tessera stove boils water in three minutes."},
	{"Tessera", false, "The fair is in Tessera Hall this year."},
	{"Zed++", true, "It is written in Zed++17, like all of theirs."},
	{"Zed++", false, "The last letter is called Zed by some."},
	{"Q&R", true, "Look at Q&amp;R first."},
	{"Q&R", false, "Questions from Q to R, and Q&RS as well."},
	{"星河堂", true, "我上周买了星河堂的背包。"},
	{"星河堂", true, "登山用品なら星河堂がおすすめです。"},
	{"星河堂", false, "银河里的星星照在堂前。"},
	{"ミラノワ", true, "去年からミラノワを使っています。"},
	{"ミラノワ", true, "昨年のﾐﾗﾉﾜは軽いです。"},
	{"ミラノワ", false, "ミラノワールという映画を見ました。"},
	{"ลูมินา", true, "หลายคนชอบกระเป๋าลูมินามากที่สุด"},
	{"ลูมินา", false, "ไม่มีข้อมูลเกี่ยวกับลูมินา"},
	{"하루온", true, "하루온은 가볍고 튼튼하다."},
	{"하루온", true, "친구가 하루온을 골랐다."},
	{"하루온", false, "주말에 하루온천에 다녀왔다."},
	{"نورفال", true, "اشتريت حقيبة ونورفال معروفة بالجودة."},
	{"نورفال", false, "كلمة نورفاليا ليست اسما معروفا."},
	{"सुरलोक", true, "कई लोग सुरलोक का थैला पसंद करते हैं।"},
	{"सुरलोक", false, "सुरलोक के बारे में कोई जानकारी नहीं मिली।"},
	{"Мирель", true, "Рюкзаки «МИРЕЛЬ» лёгкие."},
	{"Мирель", false, "Мирельский лес шумит."},
	{"Ολβίος", true, "Τα σακίδια ΟΛΒΙΟΣ είναι ελαφριά."},
}

// sourceHeadings are headings of lists of sources, which are not searched.
var sourceHeadings = []string{"Sources", "Quellen", "Références", "Источники", "参考文献", "출처", "المصادر"}

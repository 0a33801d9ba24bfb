package world

var japaneseSearch = searchPhrases{
	labels: Labels{
		Asked: "関連する質問", Related: "関連性の高い検索", Sponsored: "スポンサー", Overview: "AI による概要",
		Places: "場所", Videos: "動画", Discussions: "ディスカッションとフォーラム", Products: "人気の商品",
		About: "概要", Website: "ウェブサイト", Rated: "5 点中 # 点の評価", Reviews: "# 件のレビュー",
		NoResults: "# に一致する情報は見つかりませんでした。", Next: "次へ",
	},
	titles:    []string{"{subject}｜{brand}", "{subject}とは", "{place}の{subject}おすすめ", "{brand} {year}：価格、機種、口コミ"},
	sections:  []string{"テスト", "価格", "販売店", "お問い合わせ", "ニュースレター"},
	questions: []string{"{subject}で一番よいものは？", "{brand}は買う価値がありますか？", "{subject}は何年もちますか？", "{subject}を選ぶときの注意点は？", "{brand}と{other}はどちらが安いですか？"},
	searches:  []string{"{subject} {place}", "{subject} 価格", "{subject} 口コミ", "{brand} {subject}", "{other} {subject}", "{subject} {year}", "{subject} 近く", "{subject} 格安", "{subject} 中古"},
	threads:   []string{"{brand}を一年以上使っている方はいますか", "{brand}と{other}、どちらにしますか", "{subject}の体験談を教えてください", "{place}の{subject}は本当に高いですか"},
	headlines: []string{"{brand}、{place}に新工場", "{subject}の需要、三か月連続で増加", "{other}が値下げ", "今年の最優秀は{brand}", "新しい規則で{subject}はどう変わるか", "{brand}と{other}が和解"},
	reports:   []string{"{brand}は火曜日、400人を採用すると発表した。", "店頭では最長六週間待ちという。", "消費者団体はこの決定を歓迎している。", "{other}も夏までに追随する見通し。"},
	ago:       [3]string{"# 分前", "# 時間前", "# 日前"},
	months:    "1 2 3 4 5 6 7 8 9 10 11 12", date: "Y/M/D",
	company: "メーカー", about: "{brand}は{subject}などを作る架空のメーカーで、{place}では長い保証で知られています。",
	founded: "設立", seat: "本社", makes: "製品",
}

package world

var japanese = phrases{
	intro: []string{
		"「{subject}」（{place}）では、日々の使いやすさ、長い目で見た費用、故障時の対応の三点が大切です。",
		"「{subject}」について、{place}での最近のテストと利用者の声をもとに簡単にまとめます。",
	},
	context: []string{
		"今年の比較では{brand}が多くの項目で首位に立ち、価格を重視する場合は{other}がよく挙げられます。",
		"品質では{brand}の評価が一致していて、{other}が僅差で続きます。",
	},
	heading: "おすすめの候補",
	item: []string{
		"最もバランスがよく、一年使っても不満が少ない",
		"価格のわりに内容がよく、部品も手に入りやすい",
		"少し高いが、静かで仕上げがよい",
	},
	advice:   []string{"購入前に、保証の内容と返品が無料かどうかを確認してください。", "価格は週ごとに動くので、値下がり通知が役に立ちます。"},
	closing:  []string{"予算を教えていただければ、候補を絞り込みます。", "まとめると、まず{brand}、費用を抑えるなら{other}です。"},
	plain:    []string{"これは一般的な知識で、検索は行っていません。"},
	queries:  []string{"{subject} {year}", "{subject} 比較 {place}", "{brand} 口コミ", "{brand} {other} 違い", "{subject} 価格"},
	nearby:   []string{"{subject} 近く", "{brand} 販売店 {place}"},
	related:  []string{"{brand}と{other}はどちらがよいですか？", "{place}での{subject}の価格は？", "長持ちするブランドはどれですか？"},
	titles:   []string{"{subject}：{year}年の比較", "{brand}の長期テスト", "{brand}と{other}の評価方法", "{brand}を一年使ってみた", "{place}の購入ガイド", "{subject}の本当の費用"},
	snippets: []string{"六週間で九つの候補を比較し、{brand}が五項目中四項目で勝ちました。", "{other}は三分の一ほど安く、差はわずかです。", "{place}の最新の数字と、十二店の価格。"},
	card:     []string{"人気の商品", "評価の高い商品"},
	tags:     []string{"一押し", "お買い得", "コンパクト", "高級"},
	summary:  []string{"頼りになる定番です。", "軽くて静かで、修理しやすい一台です。"},
	shipping: []string{"送料無料", "2日でお届け"},
	used:     "中古", new: "新品",
	adTitle: []string{"{brand} 公式ストア", "今週は{brand}がお得"},
	adText:  []string{"30日間返品無料。", "本日のご注文は明日お届け。"},
	video:   []string{"5分でわかる{brand}", "{brand}と{other}、どちらを選ぶ？"},
	trade:   []string{"専門店", "ショールーム", "修理店"},
	hours:   []string{"18時まで営業", "24時間営業"},
}

package world

var englishSearch = searchPhrases{
	labels: Labels{
		Asked: "People also ask", Related: "People also search for", Sponsored: "Sponsored", Overview: "AI Overview",
		Places: "Places", Videos: "Videos", Discussions: "Discussions and forums", Products: "Popular products",
		About: "About", Website: "Website", Rated: "Rated # out of 5", Reviews: "# reviews",
		NoResults: "Your search - # - did not match any documents.", Next: "Next",
	},
	titles:    []string{"{subject} | {brand}", "{subject} explained", "The best of {subject} in {place}", "{brand} {year}: prices, models, owners' reports"},
	sections:  []string{"Tests", "Prices", "Shops near you", "Contact", "Newsletter"},
	questions: []string{"What is the best {subject}?", "Is {brand} worth the money?", "How long does {subject} last?", "What should I look for in {subject}?", "Which is cheaper, {brand} or {other}?"},
	searches:  []string{"{subject} {place}", "{subject} price", "{subject} review", "{brand} {subject}", "{other} {subject}", "{subject} {year}", "{subject} near me", "cheap {subject}", "used {subject}"},
	threads:   []string{"Anyone here with {brand} for more than a year?", "{brand} or {other}: what would you take?", "Your experience with {subject}?", "Is {subject} in {place} really that expensive?"},
	headlines: []string{"{brand} opens a new plant in {place}", "{subject}: demand rises for the third month", "{other} lowers its prices", "Test winner of the year: {brand}", "What the new rules mean for {subject}", "{brand} and {other} settle their dispute"},
	reports:   []string{"{brand} said on Tuesday that it will hire 400 people.", "Shops report waiting times of up to six weeks.", "Consumer groups welcome the decision.", "Analysts expect {other} to follow before the summer."},
	ago:       [3]string{"# minutes ago", "# hours ago", "# days ago"},
	months:    "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec", date: "M D, Y",
	company: "Manufacturer", about: "{brand} is an invented maker of things such as {subject}, known in {place} for long guarantees and in the lab for nothing else.",
	founded: "Founded", seat: "Headquarters", makes: "Products",
}

var germanSearch = searchPhrases{
	labels: Labels{
		Asked: "Weitere Fragen", Related: "Ähnliche Suchanfragen", Sponsored: "Gesponsert", Overview: "Übersicht mit KI",
		Places: "Orte", Videos: "Videos", Discussions: "Diskussionen und Foren", Products: "Beliebte Produkte",
		About: "Info", Website: "Website", Rated: "Mit # von 5 bewertet", Reviews: "# Rezensionen",
		NoResults: "Es wurden keine mit deiner Suchanfrage - # - übereinstimmenden Dokumente gefunden.", Next: "Weiter",
	},
	titles:    []string{"{subject} | {brand}", "{subject} einfach erklärt", "Das Beste zu {subject} ({place})", "{brand} {year}: Preise, Modelle, Erfahrungen"},
	sections:  []string{"Tests", "Preise", "Händler", "Kontakt", "Newsletter"},
	questions: []string{"Was ist bei {subject} am besten?", "Lohnt sich {brand}?", "Wie lange hält {subject}?", "Worauf sollte man bei {subject} achten?", "Was ist günstiger: {brand} oder {other}?"},
	searches:  []string{"{subject} {place}", "{subject} Preis", "{subject} Test", "{brand} {subject}", "{other} {subject}", "{subject} {year}", "{subject} in der Nähe", "{subject} günstig", "{subject} gebraucht"},
	threads:   []string{"Hat jemand {brand} länger als ein Jahr?", "{brand} oder {other}: was würdet ihr nehmen?", "Eure Erfahrungen mit {subject}?", "Ist {subject} ({place}) wirklich so teuer?"},
	headlines: []string{"{brand} eröffnet ein neues Werk ({place})", "{subject}: Nachfrage steigt im dritten Monat", "{other} senkt die Preise", "Testsieger des Jahres: {brand}", "Was die neuen Regeln für {subject} bedeuten", "{brand} und {other} legen ihren Streit bei"},
	reports:   []string{"{brand} teilte am Dienstag mit, 400 Menschen einzustellen.", "Händler berichten von Wartezeiten bis zu sechs Wochen.", "Verbraucherschützer begrüßen die Entscheidung.", "Fachleute erwarten, dass {other} noch vor dem Sommer folgt."},
	ago:       [3]string{"vor # Minuten", "vor # Stunden", "vor # Tagen"},
	months:    "Jan. Feb. März Apr. Mai Juni Juli Aug. Sept. Okt. Nov. Dez.", date: "D. M Y",
	company: "Hersteller", about: "{brand} ist ein erfundener Hersteller, unter anderem für {subject}, der ({place}) für lange Garantien bekannt ist und im Labor für sonst nichts.",
	founded: "Gründung", seat: "Sitz", makes: "Produkte",
}

var dutchSearch = searchPhrases{
	labels: Labels{
		Asked: "Mensen vragen ook", Related: "Mensen zoeken ook naar", Sponsored: "Gesponsord", Overview: "AI-overzicht",
		Places: "Plaatsen", Videos: "Video's", Discussions: "Discussies en forums", Products: "Populaire producten",
		About: "Over", Website: "Website", Rated: "Beoordeeld met # van 5", Reviews: "# reviews",
		NoResults: "Je zoekopdracht - # - heeft geen resultaten opgeleverd.", Next: "Volgende",
	},
	titles:    []string{"{subject} | {brand}", "{subject} uitgelegd", "Het beste van {subject} ({place})", "{brand} {year}: prijzen, modellen, ervaringen"},
	sections:  []string{"Tests", "Prijzen", "Winkels", "Contact", "Nieuwsbrief"},
	questions: []string{"Wat is het beste bij {subject}?", "Is {brand} zijn geld waard?", "Hoe lang gaat {subject} mee?", "Waar moet je op letten bij {subject}?", "Wat is goedkoper: {brand} of {other}?"},
	searches:  []string{"{subject} {place}", "{subject} prijs", "{subject} test", "{brand} {subject}", "{other} {subject}", "{subject} {year}", "{subject} in de buurt", "{subject} goedkoop", "{subject} tweedehands"},
	threads:   []string{"Heeft iemand {brand} al meer dan een jaar?", "{brand} of {other}: wat zouden jullie nemen?", "Ervaringen met {subject}?", "Is {subject} ({place}) echt zo duur?"},
	headlines: []string{"{brand} opent een nieuwe fabriek ({place})", "{subject}: vraag stijgt voor de derde maand", "{other} verlaagt de prijzen", "Testwinnaar van het jaar: {brand}", "Wat de nieuwe regels betekenen voor {subject}", "{brand} en {other} leggen hun ruzie bij"},
	reports:   []string{"{brand} meldde dinsdag 400 mensen aan te nemen.", "Winkels melden wachttijden tot zes weken.", "Consumentenbonden zijn blij met het besluit.", "Kenners verwachten dat {other} voor de zomer volgt."},
	ago:       [3]string{"# minuten geleden", "# uur geleden", "# dagen geleden"},
	months:    "jan feb mrt apr mei jun jul aug sep okt nov dec", date: "D M Y",
	company: "Fabrikant", about: "{brand} is een verzonnen maker van onder meer {subject}, in {place} bekend om lange garanties en in het lab om niets anders.",
	founded: "Opgericht", seat: "Hoofdkantoor", makes: "Producten",
}

package world

var frenchSearch = searchPhrases{
	labels: Labels{
		Asked: "Autres questions", Related: "Recherches associées", Sponsored: "Sponsorisé", Overview: "Aperçu IA",
		Places: "Lieux", Videos: "Vidéos", Discussions: "Discussions et forums", Products: "Produits populaires",
		About: "À propos", Website: "Site Web", Rated: "Note : # sur 5", Reviews: "# avis",
		NoResults: "Aucun document ne correspond aux termes de recherche spécifiés (#).", Next: "Suivant",
	},
	titles:    []string{"{subject} | {brand}", "{subject} : tout comprendre", "Le meilleur de {subject} ({place})", "{brand} {year} : prix, modèles, avis"},
	sections:  []string{"Essais", "Prix", "Boutiques", "Contact", "Infolettre"},
	questions: []string{"Quel est le meilleur choix pour {subject} ?", "{brand} vaut-il son prix ?", "Combien de temps dure {subject} ?", "À quoi faire attention pour {subject} ?", "Qui est moins cher, {brand} ou {other} ?"},
	searches:  []string{"{subject} {place}", "{subject} prix", "{subject} avis", "{brand} {subject}", "{other} {subject}", "{subject} {year}", "{subject} à proximité", "{subject} pas cher", "{subject} occasion"},
	threads:   []string{"Quelqu’un a {brand} depuis plus d’un an ?", "{brand} ou {other} : que prendriez-vous ?", "Vos expériences avec {subject} ?", "{subject} ({place}), est-ce vraiment si cher ?"},
	headlines: []string{"{brand} ouvre une usine ({place})", "{subject} : la demande monte pour le troisième mois", "{other} baisse ses prix", "Élu produit de l’année : {brand}", "Ce que les nouvelles règles changent pour {subject}", "{brand} et {other} règlent leur différend"},
	reports:   []string{"{brand} a annoncé mardi 400 embauches.", "Les boutiques parlent de six semaines d’attente.", "Les associations de consommateurs saluent la décision.", "Les analystes attendent {other} avant l’été."},
	ago:       [3]string{"il y a # minutes", "il y a # heures", "il y a # jours"},
	months:    "janv. févr. mars avr. mai juin juil. août sept. oct. nov. déc.", date: "D M Y",
	company: "Fabricant", about: "{brand} est un fabricant imaginaire, notamment pour {subject}, connu ({place}) pour ses longues garanties et au laboratoire pour rien d’autre.",
	founded: "Création", seat: "Siège", makes: "Produits",
}

var spanishSearch = searchPhrases{
	labels: Labels{
		Asked: "Más preguntas", Related: "Otras personas también buscan", Sponsored: "Patrocinado", Overview: "Vista creada con IA",
		Places: "Sitios", Videos: "Vídeos", Discussions: "Debates y foros", Products: "Productos populares",
		About: "Información", Website: "Sitio web", Rated: "Valoración: # de 5", Reviews: "# reseñas",
		NoResults: "No se han encontrado resultados para tu búsqueda (#).", Next: "Siguiente",
	},
	titles:    []string{"{subject} | {brand}", "{subject}, explicado", "Lo mejor de {subject} ({place})", "{brand} {year}: precios, modelos y opiniones"},
	sections:  []string{"Pruebas", "Precios", "Tiendas", "Contacto", "Boletín"},
	questions: []string{"¿Cuál es el mejor {subject}?", "¿Vale la pena {brand}?", "¿Cuánto dura {subject}?", "¿En qué hay que fijarse en {subject}?", "¿Qué es más barato, {brand} o {other}?"},
	searches:  []string{"{subject} {place}", "{subject} precio", "{subject} opiniones", "{brand} {subject}", "{other} {subject}", "{subject} {year}", "{subject} cerca de mí", "{subject} barato", "{subject} segunda mano"},
	threads:   []string{"¿Alguien con {brand} más de un año?", "{brand} o {other}: ¿qué elegiríais?", "¿Vuestra experiencia con {subject}?", "¿Tan caro es {subject} ({place})?"},
	headlines: []string{"{brand} abre una fábrica ({place})", "{subject}: la demanda sube por tercer mes", "{other} baja los precios", "Producto del año: {brand}", "Qué cambian las nuevas normas para {subject}", "{brand} y {other} zanjan su disputa"},
	reports:   []string{"{brand} anunció el martes 400 contrataciones.", "Las tiendas hablan de esperas de hasta seis semanas.", "Los consumidores celebran la decisión.", "Los analistas esperan que {other} siga antes del verano."},
	ago:       [3]string{"hace # minutos", "hace # horas", "hace # días"},
	months:    "ene feb mar abr may jun jul ago sept oct nov dic", date: "D M Y",
	company: "Fabricante", about: "{brand} es un fabricante inventado de cosas como {subject}, conocido ({place}) por sus largas garantías y en el laboratorio por nada más.",
	founded: "Fundación", seat: "Sede", makes: "Productos",
}

var portugueseSearch = searchPhrases{
	labels: Labels{
		Asked: "As pessoas também perguntam", Related: "As pessoas também pesquisam", Sponsored: "Patrocinado", Overview: "Visão geral criada por IA",
		Places: "Locais", Videos: "Vídeos", Discussions: "Discussões e fóruns", Products: "Produtos populares",
		About: "Sobre", Website: "Site", Rated: "Classificação: # de 5", Reviews: "# avaliações",
		NoResults: "Sua pesquisa - # - não encontrou nenhum documento correspondente.", Next: "Mais",
	},
	titles:    []string{"{subject} | {brand}", "{subject}: entenda", "O melhor de {subject} ({place})", "{brand} {year}: preços, modelos e opiniões"},
	sections:  []string{"Testes", "Preços", "Lojas", "Contato", "Boletim"},
	questions: []string{"Qual é o melhor {subject}?", "{brand} vale a pena?", "Quanto tempo dura {subject}?", "O que observar em {subject}?", "O que é mais barato, {brand} ou {other}?"},
	searches:  []string{"{subject} {place}", "{subject} preço", "{subject} avaliação", "{brand} {subject}", "{other} {subject}", "{subject} {year}", "{subject} perto de mim", "{subject} barato", "{subject} usado"},
	threads:   []string{"Alguém com {brand} há mais de um ano?", "{brand} ou {other}: qual vocês levariam?", "Experiências com {subject}?", "{subject} ({place}) é mesmo tão caro?"},
	headlines: []string{"{brand} abre nova fábrica ({place})", "{subject}: procura sobe pelo terceiro mês", "{other} baixa os preços", "Produto do ano: {brand}", "O que as novas regras mudam para {subject}", "{brand} e {other} encerram disputa"},
	reports:   []string{"{brand} anunciou na terça-feira 400 contratações.", "As lojas falam em espera de até seis semanas.", "Os consumidores elogiam a decisão.", "Analistas esperam que {other} siga antes do verão."},
	ago:       [3]string{"há # minutos", "há # horas", "há # dias"},
	months:    "jan. fev. mar. abr. mai. jun. jul. ago. set. out. nov. dez.", date: "D de M de Y",
	company: "Fabricante", about: "{brand} é um fabricante inventado de coisas como {subject}, conhecido ({place}) por garantias longas e no laboratório por mais nada.",
	founded: "Fundação", seat: "Sede", makes: "Produtos",
}

var italianSearch = searchPhrases{
	labels: Labels{
		Asked: "Le persone hanno chiesto anche", Related: "Ricerche correlate", Sponsored: "Sponsorizzato", Overview: "AI Overview",
		Places: "Luoghi", Videos: "Video", Discussions: "Discussioni e forum", Products: "Prodotti più richiesti",
		About: "Informazioni", Website: "Sito web", Rated: "Valutazione: # su 5", Reviews: "# recensioni",
		NoResults: "La ricerca di # non ha prodotto risultati.", Next: "Avanti",
	},
	titles:    []string{"{subject} | {brand}", "{subject}, spiegato", "Il meglio di {subject} ({place})", "{brand} {year}: prezzi, modelli, opinioni"},
	sections:  []string{"Prove", "Prezzi", "Negozi", "Contatti", "Bollettino"},
	questions: []string{"Qual è il migliore per {subject}?", "{brand} vale il suo prezzo?", "Quanto dura {subject}?", "A cosa badare per {subject}?", "Che cosa costa meno, {brand} o {other}?"},
	searches:  []string{"{subject} {place}", "{subject} prezzo", "{subject} recensioni", "{brand} {subject}", "{other} {subject}", "{subject} {year}", "{subject} vicino a me", "{subject} economico", "{subject} usato"},
	threads:   []string{"Qualcuno con {brand} da più di un anno?", "{brand} o {other}: che cosa prendereste?", "Le vostre esperienze con {subject}?", "{subject} ({place}) è davvero così caro?"},
	headlines: []string{"{brand} apre uno stabilimento ({place})", "{subject}: la domanda sale per il terzo mese", "{other} abbassa i prezzi", "Prodotto dell’anno: {brand}", "Che cosa cambia per {subject} con le nuove regole", "{brand} e {other} chiudono la lite"},
	reports:   []string{"{brand} ha annunciato martedì 400 assunzioni.", "I negozi parlano di attese fino a sei settimane.", "I consumatori approvano la decisione.", "Gli analisti attendono {other} prima dell’estate."},
	ago:       [3]string{"# minuti fa", "# ore fa", "# giorni fa"},
	months:    "gen feb mar apr mag giu lug ago set ott nov dic", date: "D M Y",
	company: "Produttore", about: "{brand} è un produttore inventato, tra l’altro per {subject}, noto ({place}) per le lunghe garanzie e nel laboratorio per nient’altro.",
	founded: "Fondazione", seat: "Sede", makes: "Prodotti",
}

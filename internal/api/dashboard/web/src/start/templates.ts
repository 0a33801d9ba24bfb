// Prompts for a new tracker, by industry. {category} is what the company sells, in the plural; {place} is a city or a
// country. A template with {rival} is left out while no rival is known.

export const languages = { en: "English", de: "German" } as const;
export type Language = keyof typeof languages;

export interface Industry {
  name: string;
  prompts: Record<Language, string[]>;
}

export const industries: Record<string, Industry> = {
  products: {
    name: "Consumer products",
    prompts: {
      en: [
        "What are the best {category} right now?",
        "Which {category} last the longest?",
        "Which {category} are good value for money?",
        "Which {category} are best for beginners?",
        "Which brands of {category} are the most sustainable?",
        "Where can I buy good {category} in {place}?",
        "Are {category} from {company} any good?",
        "{company} or {rival}: which {category} are better?",
      ],
      de: [
        "Welche {category} sind zurzeit die besten?",
        "Welche {category} halten am längsten?",
        "Welche {category} haben ein gutes Preis-Leistungs-Verhältnis?",
        "Welche {category} eignen sich für Einsteiger?",
        "Welche Marken für {category} sind besonders nachhaltig?",
        "Wo kann ich in {place} gute {category} kaufen?",
        "Sind {category} von {company} gut?",
        "{company} oder {rival}: Welche {category} sind besser?",
      ],
    },
  },
  shops: {
    name: "Shops and retail",
    prompts: {
      en: [
        "What are the best online shops for {category} in {place}?",
        "Where can I buy {category} online with fast delivery?",
        "Which shop has the best prices for {category}?",
        "Which shops for {category} have free returns?",
        "Which shop has the largest choice of {category}?",
        "Is it safe to buy {category} from {company}?",
        "Should I buy {category} from {company} or from {rival}?",
      ],
      de: [
        "Welche Onlineshops für {category} sind in {place} die besten?",
        "Wo kann ich {category} online mit schneller Lieferung kaufen?",
        "Welcher Shop hat die besten Preise für {category}?",
        "Bei welchen Shops kann ich {category} kostenlos zurückgeben?",
        "Welcher Shop hat die größte Auswahl an {category}?",
        "Kann man {category} bei {company} bedenkenlos kaufen?",
        "Soll ich {category} bei {company} oder bei {rival} kaufen?",
      ],
    },
  },
  software: {
    name: "Software",
    prompts: {
      en: [
        "What are the best {category} for a small company?",
        "Which {category} do large companies use?",
        "Which {category} are easiest to set up?",
        "What do {category} cost, and which are the cheapest?",
        "Which {category} have a free plan?",
        "Which {category} protect data best in {place}?",
        "What are the strengths and weaknesses of {company}?",
        "What are good alternatives to {rival}?",
      ],
      de: [
        "Welche {category} sind für ein kleines Unternehmen am besten?",
        "Welche {category} nutzen große Unternehmen?",
        "Welche {category} lassen sich am einfachsten einrichten?",
        "Was kosten {category}, und welche sind am günstigsten?",
        "Welche {category} haben einen kostenlosen Tarif?",
        "Welche {category} bieten in {place} den besten Datenschutz?",
        "Was sind die Stärken und Schwächen von {company}?",
        "Was sind gute Alternativen zu {rival}?",
      ],
    },
  },
  finance: {
    name: "Finance and insurance",
    prompts: {
      en: [
        "Who offers the best {category} in {place}?",
        "Which {category} have the lowest fees?",
        "Which {category} are best for young people?",
        "Which providers of {category} have the best customer service?",
        "What should I look for when I compare {category}?",
        "Is {company} trustworthy?",
        "{company} or {rival}: who has better {category}?",
      ],
      de: [
        "Wer bietet in {place} die besten {category} an?",
        "Welche {category} haben die niedrigsten Gebühren?",
        "Welche {category} eignen sich für junge Leute?",
        "Welche Anbieter von {category} haben den besten Kundenservice?",
        "Worauf sollte ich beim Vergleich von {category} achten?",
        "Ist {company} vertrauenswürdig?",
        "{company} oder {rival}: Wer hat bessere {category}?",
      ],
    },
  },
  travel: {
    name: "Travel and hotels",
    prompts: {
      en: [
        "What are the best {category} in {place}?",
        "Which {category} in {place} are good for families?",
        "Which {category} in {place} are cheap but good?",
        "Which {category} are best for a weekend in {place}?",
        "Where should I book {category} in {place}?",
        "What do guests say about {company}?",
        "Is {company} or {rival} better for a trip to {place}?",
      ],
      de: [
        "Was sind die besten {category} in {place}?",
        "Welche {category} in {place} sind gut für Familien?",
        "Welche {category} in {place} sind günstig und trotzdem gut?",
        "Welche {category} eignen sich für ein Wochenende in {place}?",
        "Wo sollte ich {category} in {place} buchen?",
        "Was sagen Gäste über {company}?",
        "Ist {company} oder {rival} für eine Reise nach {place} besser?",
      ],
    },
  },
  local: {
    name: "Restaurants and local services",
    prompts: {
      en: [
        "What are the best {category} in {place}?",
        "Which {category} in {place} do locals recommend?",
        "Which {category} in {place} are open on Sundays?",
        "Which {category} in {place} are not too expensive?",
        "Which {category} in {place} have the best reviews?",
        "Can you recommend {company} in {place}?",
        "{company} or {rival}: where should I go?",
      ],
      de: [
        "Was sind die besten {category} in {place}?",
        "Welche {category} in {place} empfehlen Einheimische?",
        "Welche {category} in {place} haben sonntags geöffnet?",
        "Welche {category} in {place} sind nicht zu teuer?",
        "Welche {category} in {place} haben die besten Bewertungen?",
        "Ist {company} in {place} zu empfehlen?",
        "{company} oder {rival}: Wohin sollte ich gehen?",
      ],
    },
  },
  health: {
    name: "Health and beauty",
    prompts: {
      en: [
        "Which {category} do experts recommend?",
        "Which {category} are best for sensitive skin?",
        "Which {category} have proven effects?",
        "Which {category} contain only natural ingredients?",
        "Which affordable {category} are good?",
        "Do {category} from {company} work?",
        "Are {category} from {company} or from {rival} better?",
      ],
      de: [
        "Welche {category} empfehlen Fachleute?",
        "Welche {category} sind für empfindliche Haut am besten?",
        "Bei welchen {category} ist die Wirkung belegt?",
        "Welche {category} enthalten nur natürliche Inhaltsstoffe?",
        "Welche günstigen {category} sind gut?",
        "Wirken {category} von {company}?",
        "Sind {category} von {company} oder von {rival} besser?",
      ],
    },
  },
  business: {
    name: "Services for companies",
    prompts: {
      en: [
        "Which {category} in {place} are the best?",
        "Which {category} have the most experience with medium-sized companies?",
        "How do I choose between {category}?",
        "What do {category} in {place} usually charge?",
        "Which {category} are known for good results?",
        "What do clients say about {company}?",
        "How does {company} compare with {rival}?",
      ],
      de: [
        "Welche {category} in {place} sind die besten?",
        "Welche {category} haben die meiste Erfahrung mit mittelständischen Unternehmen?",
        "Wie wähle ich zwischen {category} aus?",
        "Was verlangen {category} in {place} üblicherweise?",
        "Welche {category} sind für gute Ergebnisse bekannt?",
        "Was sagen Kunden über {company}?",
        "Wie schneidet {company} im Vergleich mit {rival} ab?",
      ],
    },
  },
};

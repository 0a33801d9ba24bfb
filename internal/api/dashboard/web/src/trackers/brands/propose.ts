// Adds the name in the address of the settings page to the settings.
import type { BrandName, TrackerDefinition } from "earshot";

/** Returns the definition with the name of the address added: to a tracked brand, or as a new brand. */
export function proposed(definition: TrackerDefinition, { brand, add }: Record<string, string>): TrackerDefinition {
  const name = add ? read(add) : undefined;
  if (!name) return definition;
  const brands = definition.brands ?? [];
  if (!brand)
    return brands.some((one) => one.name === name.name) ? definition : { ...definition, brands: [...brands, name] };
  return {
    ...definition,
    brands: brands.map((one) => {
      if (one.name !== brand) return one;
      if (one.name === name.name) return { ...one, match: name.match };
      const others = (one.aliases ?? []).filter(
        (alias) => (typeof alias === "string" ? alias : alias.name) !== name.name,
      );
      return { ...one, aliases: [...others, name.match ? name : name.name] };
    }),
  };
}

/** Parses a name from the address. Anybody may have written the address, so it is checked. */
function read(text: string): BrandName | undefined {
  try {
    const value: unknown = JSON.parse(text);
    if (
      typeof value !== "object" ||
      value === null ||
      !("name" in value) ||
      typeof value.name !== "string" ||
      !value.name
    )
      return undefined;
    const match =
      "match" in value && typeof value.match === "object" && value.match !== null
        ? (value.match as BrandName["match"])
        : undefined;
    return { name: value.name, ...(match && { match }) };
  } catch {
    return undefined;
  }
}

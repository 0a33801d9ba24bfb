// A name on its way into a definition: the address of the definition holds it.
import type { BrandName, TrackerDefinition } from "../../api.gen";

/** The definition with the name that the address proposes: of a brand of the panel, or a brand of its own. */
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

/** The name that a part of an address says, which anybody may have written. */
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

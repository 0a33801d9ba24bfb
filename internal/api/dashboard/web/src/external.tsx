import type { ComponentChildren } from "preact";

/** A link to another site. A URL that is not http or https is not linked. */
export function External({ href, children }: { href: string | undefined; children: ComponentChildren }) {
  if (!href || !/^https?:\/\//i.test(href)) return <>{children}</>;
  return (
    <a href={href} target="_blank" rel="noreferrer noopener">
      {children}
    </a>
  );
}

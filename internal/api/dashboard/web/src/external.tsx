import type { ComponentChildren } from "preact";

/** A link that leaves the dashboard; only web addresses become one. */
export function External({ href, children }: { href: string | undefined; children: ComponentChildren }) {
  if (!href || !/^https?:\/\//i.test(href)) return <>{children}</>;
  return (
    <a href={href} target="_blank" rel="noreferrer noopener">
      {children}
    </a>
  );
}

import { Fragment, type ReactNode } from 'react';

/** Where something stands in everything: rack → host → cluster → node. A step that is not known says so; one that is false is left out. */
export function Chain({ steps }: { readonly steps: Readonly<Record<string, ReactNode>> }) {
  const shown = Object.entries(steps).filter(([, step]) => step !== false);
  return (
    <nav aria-label="Chain" className="chain-steps">
      {shown.map(([name, step], index) => (
        <Fragment key={name}>
          {index > 0 && <span aria-hidden="true">→</span>}
          {step}
        </Fragment>
      ))}
    </nav>
  );
}

import type { Tone } from '@quartermaster/api/states';
import { Fragment, type ReactNode } from 'react';
import { Link } from 'wouter';
import { Dot } from './state-word.tsx';

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

interface StepProps {
  readonly tone: Tone;
  readonly word: string;
  readonly name: string;
  readonly href: string | undefined;
}

/** A step with its state; without an address it is the page in sight. */
export function Step({ tone, word, name, href }: StepProps) {
  return (
    <span className="chain-step">
      <Dot tone={tone} />
      {href === undefined ? <span aria-current="page">{name}</span> : <Link href={href}>{name}</Link>}
      {word !== '' && <span className="dim chain-word">{word}</span>}
    </span>
  );
}

/** A step that is not there, and why. */
export function Missing({ children }: { readonly children: ReactNode }) {
  return <span className="dim">{children}</span>;
}

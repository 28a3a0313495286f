import type { Tone } from '@quartermaster/api/states';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { Dot } from '../state-word.tsx';

interface BarPart {
  readonly tone: Tone;
  readonly amount: number;
  readonly title?: string | undefined;
  /** The list behind it. */
  readonly href?: string | undefined;
}

/** How a whole divides, drawn. The same is said in words beside it. */
export function Bar({ parts, total }: { readonly parts: Readonly<Record<string, BarPart>>; readonly total: number }) {
  return (
    <div className="share-bar" aria-hidden="true">
      {Object.entries(parts)
        .filter(([, { amount }]) => amount > 0)
        .map(([name, { tone, amount, title, href }]) => {
          const drawn = { className: `fill-${tone}`, style: { flexGrow: amount / Math.max(total, 1) }, title };
          return href === undefined ? <span key={name} {...drawn} /> : <Link key={name} href={href} tabIndex={-1} {...drawn} />;
        })}
    </div>
  );
}

interface BarNoteProps {
  readonly tone: Tone;
  readonly title: string;
  readonly children: ReactNode;
}

/** One part of a bar in words. */
export function BarNote({ tone, title, children }: BarNoteProps) {
  return (
    <span className="reason" title={title}>
      <Dot tone={tone} />
      <span>{children}</span>
    </span>
  );
}

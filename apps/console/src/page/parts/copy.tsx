import { CopyButton } from '@mantine/core';
import type { ButtonHTMLAttributes } from 'react';
import { shortId } from '../model/short-id.ts';

/** A button that copies a text as a whole, whatever stands on it. */
export function Copy({ text, children = 'copy', ...button }: ButtonHTMLAttributes<HTMLButtonElement> & { readonly text: string }) {
  return (
    <CopyButton value={text} timeout={2000}>
      {({ copied, copy }) => (
        <button type="button" className="quiet-button" {...button} onClick={copy}>
          {copied ? 'copied' : children}
        </button>
      )}
    </CopyButton>
  );
}

/** An id, shortened in the middle. */
export function CopyId({ id }: { readonly id: string }) {
  return (
    <Copy text={id} className="id-button mono" title={`Copy ${id}`}>
      {shortId(id)}
    </Copy>
  );
}

/** A command to take along, shown whole. */
export function CopyLine({ text, note }: { readonly text: string; readonly note?: string | undefined }) {
  return (
    <div className="copy-line">
      <code>{text}</code>
      {note !== undefined && <span className="dim">{note}</span>}
      <Copy text={text} aria-label={`Copy ${text}`} />
    </div>
  );
}

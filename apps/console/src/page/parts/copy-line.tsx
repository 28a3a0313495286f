import { CopyButton } from '@mantine/core';

interface CopyLineProps {
  readonly text: string;
  readonly note?: string | undefined;
}

/** A command to take along: shown whole, copied by a click. */
export function CopyLine({ text, note }: CopyLineProps) {
  return (
    <div className="copy-line">
      <code>{text}</code>
      {note !== undefined && <span className="dim">{note}</span>}
      <CopyButton value={text} timeout={2000}>
        {({ copied, copy }) => (
          <button type="button" className="quiet-button" onClick={copy} aria-label={`Copy ${text}`}>
            {copied ? 'copied' : 'copy'}
          </button>
        )}
      </CopyButton>
    </div>
  );
}

import { useId, useRef, useState } from 'react';
import { countOf } from '../model/amounts.ts';

export interface SdlFault {
  /** A JSON pointer; empty: the document as a whole. */
  readonly path: string;
  /** From 1; 0 where no line can be told. */
  readonly line: number;
  readonly column: number;
  readonly message: string;
  readonly code: string;
}

interface SdlEditorProps {
  readonly sdl: string;
  readonly faults: readonly SdlFault[];
  readonly onChange: (sdl: string) => void;
}

/** As in the style sheet. */
const lineHeight = 20;

/** A text with numbered lines. Those with faults are marked, and what is wrong with them stands beside; a click leads to the line. */
export function SdlEditor({ sdl, faults, onChange }: SdlEditorProps) {
  const id = useId();
  const text = useRef<HTMLTextAreaElement>(null);
  const [scrolled, setScrolled] = useState(0);
  const lines = sdl.split('\n').length;
  const faulty = Map.groupBy(
    faults.filter(({ line }) => line > 0 && line <= lines),
    ({ line }) => line,
  );
  const goTo = ({ line, column }: SdlFault): void => {
    const area = text.current;
    if (area === null) return;
    const start =
      sdl
        .split('\n')
        .slice(0, Math.max(0, line - 1))
        .join('\n').length + (line > 1 ? 1 : 0);
    const at = start + Math.max(0, column - 1);
    area.focus();
    area.setSelectionRange(at, at);
    area.scrollTop = Math.max(0, (line - 4) * lineHeight);
  };
  return (
    <div className="sdl-editor">
      <label htmlFor={id}>SDL</label>
      <div className="sdl-text" data-invalid={faults.length > 0 ? 'true' : undefined}>
        <div className="sdl-gutter" aria-hidden="true">
          <div style={{ transform: `translateY(${-scrolled}px)` }}>
            <pre>{Array.from({ length: lines }, (_, index) => index + 1).join('\n')}</pre>
            {[...faulty].map(([line, of]) => (
              <div
                key={line}
                className="sdl-faulty"
                style={{ top: (line - 1) * lineHeight }}
                title={of.map(({ message }) => message).join('\n')}
              >
                {line}
              </div>
            ))}
          </div>
        </div>
        <textarea
          ref={text}
          id={id}
          className="mono"
          wrap="off"
          spellCheck={false}
          autoComplete="off"
          placeholder="Paste an SDL, version 2.0 or 2.1."
          aria-invalid={faults.length > 0}
          aria-describedby={`${id}-faults`}
          value={sdl}
          onChange={({ currentTarget }) => onChange(currentTarget.value)}
          onScroll={({ currentTarget }) => setScrolled(currentTarget.scrollTop)}
        />
      </div>
      <div id={`${id}-faults`} className="sdl-faults" aria-live="polite">
        {faults.length > 0 && <p className="dim">{countOf(faults.length, 'fault')}</p>}
        <ol>
          {faults.map((fault) => (
            <li key={`${fault.path} ${fault.code} ${fault.line} ${fault.message}`}>
              {fault.line > 0 && (
                <button type="button" className="link-button" onClick={() => goTo(fault)}>
                  Line {fault.line}
                </button>
              )}{' '}
              {fault.path !== '' && <code>{fault.path}</code>} {fault.message}
            </li>
          ))}
        </ol>
      </div>
    </div>
  );
}

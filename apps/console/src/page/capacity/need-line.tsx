import type { Need } from '@quartermaster/api/inventory-views';
import { reasonWords } from '@quartermaster/api/states';
import { type SyntheticEvent, useState } from 'react';
import { Link } from 'wouter';
import { useNow } from '../live/use-live.ts';
import { nodeHref, storageHref } from '../model/addresses.ts';
import { heldWords } from '../model/capacity-words.ts';
import { formatDuration, formatMoments } from '../model/relative-time.ts';
import { Changing } from '../parts/changing.tsx';
import { Copy } from '../parts/copy.tsx';
import { Choices, FieldFrame } from '../parts/field-frame.tsx';
import { Dot } from '../parts/state-word.tsx';
import { ForHowLong } from '../parts/time-ago.tsx';
import { needKey, remedyOf, spans } from './acknowledgements.ts';
import type { Acknowledgements } from './use-acknowledgements.ts';

interface NeedLineProps {
  readonly need: Need;
  readonly acknowledgements: Acknowledgements;
}

/** One thing that needs a person: what it holds back and why, what to do, and that somebody knows of it. */
export function NeedLine({ need, acknowledgements }: NeedLineProps) {
  const { kind, id, node, state, reason, more } = need;
  const [isOpen, setOpen] = useState(false);
  const held = heldWords(need);
  const href = kind === 'class' ? storageHref(id) : nodeHref(node ?? id);
  const key = needKey(need);
  const known = acknowledgements.current.get(key);
  return (
    <li>
      <Dot tone={state === 'unknown' ? 'unknown' : 'held'} />
      <div>
        <Link href={href} className={kind === 'gpu' ? 'mono' : undefined}>
          {id}
        </Link>{' '}
        {kind === 'gpu' && <span className="dim">on {node} </span>}
        <span>
          {reasonWords(reason.code)}
          <ForHowLong since={reason.since} />
          {more > 0 && ` and ${more} more`}
        </span>
        {held !== '' && (
          <>
            {' → '}
            <Changing value={held}>{held}</Changing> {state === 'unknown' ? 'unknown' : 'held back'}
          </>
        )}
        <p className="dim">{reason.message}</p>
        {known !== undefined && <KnownUntil reason={known.reason} until={known.until} />}
        {isOpen && (
          <AcknowledgeForm
            id={id}
            onCancel={() => setOpen(false)}
            onAcknowledge={(why, until) => {
              setOpen(false);
              acknowledgements.add({ key, reason: why, until });
            }}
          />
        )}
      </div>
      <span className="need-actions">
        <Link href={`${href}${kind === 'class' ? '' : '#why'}`} aria-label={`Explain ${id}`}>
          explain
        </Link>
        <Copy text={remedyOf(need)} className="link-button" title={remedyOf(need)} aria-label={`Copy remedy for ${id}`}>
          copy remedy
        </Copy>
        {known === undefined ? (
          <button
            type="button"
            className="link-button"
            aria-expanded={isOpen}
            aria-label={`Acknowledge ${id}`}
            onClick={() => setOpen(!isOpen)}
          >
            acknowledge
          </button>
        ) : (
          <button type="button" className="link-button" aria-label={`Undo for ${id}`} onClick={() => acknowledgements.remove(key)}>
            undo
          </button>
        )}
      </span>
    </li>
  );
}

function KnownUntil({ reason, until }: { readonly reason: string; readonly until: number }) {
  const left = formatDuration(until - useNow());
  return (
    <p>
      Acknowledged: {reason}. <span title={formatMoments(until)}>Returns in {left}.</span>
    </p>
  );
}

interface AcknowledgeFormProps {
  readonly id: string;
  readonly onAcknowledge: (reason: string, until: number) => void;
  readonly onCancel: () => void;
}

function AcknowledgeForm({ id, onAcknowledge, onCancel }: AcknowledgeFormProps) {
  const now = useNow();
  const [reason, setReason] = useState('');
  const [span, setSpan] = useState('8 hours');
  const submit = (event: SyntheticEvent): void => {
    event.preventDefault();
    if (reason.trim() !== '') onAcknowledge(reason.trim(), now + (spans[span] ?? 0));
  };
  return (
    <form className="acknowledge-form" onSubmit={submit} aria-label={`Acknowledge ${id}`}>
      <FieldFrame label="Reason" isRequired>
        {(control) => (
          <input {...control} className="field" value={reason} onChange={({ currentTarget }) => setReason(currentTarget.value)} />
        )}
      </FieldFrame>
      <FieldFrame label="For">
        {(control) => (
          <select {...control} className="field" value={span} onChange={({ currentTarget }) => setSpan(currentTarget.value)}>
            <Choices choices={Object.fromEntries(Object.keys(spans).map((each) => [each, each]))} value={span} />
          </select>
        )}
      </FieldFrame>
      <button
        type="submit"
        className="quiet-button"
        disabled={reason.trim() === ''}
        title={reason.trim() === '' ? 'Give a reason first.' : undefined}
      >
        Acknowledge in this browser
      </button>
      <button type="button" className="quiet-button" onClick={onCancel}>
        Cancel
      </button>
    </form>
  );
}

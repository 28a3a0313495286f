import { useState } from 'react';
import { Dialog } from '../parts/dialog.tsx';
import { FieldFrame, FieldProblem } from '../parts/field-frame.tsx';
import { useNotify } from '../parts/notice.tsx';
import { useSubmit } from '../parts/use-submit.ts';

interface ConfirmButtonProps {
  /** On the button, and on the one that does it. */
  readonly label: string;
  readonly title: string;
  /** What will happen, with names and counts, as sentences. */
  readonly consequences: readonly string[];
  /** To be typed first, where a workload ends with it. */
  readonly typed?: string | undefined;
  readonly isGrave?: boolean | undefined;
  /** Asks why, and says here who will read it. */
  readonly reasonHint?: string | undefined;
  /** Why the one who looks cannot do it now. */
  readonly obstacle?: string | undefined;
  readonly act: (reason: string) => Promise<unknown>;
  /** Said when it is done. */
  readonly said: string;
}

/** Says what will happen, and does it after a yes. */
export function ConfirmButton({ label, title, isGrave = false, obstacle, ...asked }: ConfirmButtonProps) {
  const [isOpen, setOpen] = useState(false);
  const close = (): void => setOpen(false);
  return (
    <>
      <button
        type="button"
        className={isGrave ? 'quiet-button danger-link' : 'quiet-button'}
        disabled={obstacle !== undefined}
        title={obstacle}
        onClick={() => setOpen(true)}
      >
        {label}
      </button>
      <Dialog title={title} isOpen={isOpen} onClose={close}>
        <ConfirmForm label={label} isGrave={isGrave} {...asked} onClose={close} />
      </Dialog>
    </>
  );
}

interface ConfirmFormProps extends Omit<ConfirmButtonProps, 'title' | 'obstacle'> {
  readonly onClose: () => void;
}

/** As long as the services take one. */
const longestReason = 256;

function ConfirmForm({ label, consequences, typed, isGrave, reasonHint, act, said, onClose }: ConfirmFormProps) {
  const notify = useNotify();
  const [text, setText] = useState('');
  const [reason, setReason] = useState('');
  const isReady = typed === undefined || text === typed;
  const { submit, isBusy, problem } = useSubmit(isReady, async () => {
    await act(reason.trim());
    onClose();
    notify(said);
  });
  return (
    <form className="form" noValidate onSubmit={submit}>
      <ul className="consequences">
        {consequences.map((sentence) => (
          <li key={sentence}>{sentence}</li>
        ))}
      </ul>
      {reasonHint !== undefined && (
        <FieldFrame label="Reason" hint={reasonHint}>
          {(control) => (
            <input
              {...control}
              className="field"
              maxLength={longestReason}
              value={reason}
              onChange={({ currentTarget }) => setReason(currentTarget.value)}
            />
          )}
        </FieldFrame>
      )}
      {typed !== undefined && (
        <FieldFrame
          label={
            <>
              Type <code>{typed}</code> to confirm
            </>
          }
        >
          {(control) => (
            <input {...control} className="field mono" value={text} onChange={({ currentTarget }) => setText(currentTarget.value)} />
          )}
        </FieldFrame>
      )}
      <FieldProblem problem={problem} />
      <div className="form-actions">
        <button
          type="submit"
          className={isGrave === true ? 'danger-button' : 'main-button'}
          disabled={!isReady || isBusy}
          title={isReady ? undefined : `Type ${typed} first.`}
        >
          {label}
        </button>
        <button type="button" className="quiet-button" onClick={onClose}>
          Cancel
        </button>
      </div>
    </form>
  );
}

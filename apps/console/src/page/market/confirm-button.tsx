import { type SyntheticEvent, useState } from 'react';
import { ApiError } from '../api/api-error.ts';
import { Dialog } from '../parts/dialog.tsx';
import { FieldFrame, FieldProblem } from '../parts/field-frame.tsx';
import { useNotify } from '../parts/notice.tsx';

interface ConfirmButtonProps {
  /** On the button, and on the one that does it. */
  readonly label: string;
  readonly title: string;
  /** What will happen, with names and counts, as sentences. */
  readonly consequences: readonly string[];
  /** To be typed first, where a workload ends with it. */
  readonly typed?: string | undefined;
  readonly isGrave?: boolean | undefined;
  readonly act: () => Promise<unknown>;
  /** Said when it is done. */
  readonly said: string;
}

/** Says what will happen, and does it after a yes. */
export function ConfirmButton({ label, title, isGrave = false, ...asked }: ConfirmButtonProps) {
  const [isOpen, setOpen] = useState(false);
  const close = (): void => setOpen(false);
  return (
    <>
      <button type="button" className={isGrave ? 'quiet-button danger-link' : 'quiet-button'} onClick={() => setOpen(true)}>
        {label}
      </button>
      <Dialog title={title} isOpen={isOpen} onClose={close}>
        <ConfirmForm label={label} isGrave={isGrave} {...asked} onClose={close} />
      </Dialog>
    </>
  );
}

interface ConfirmFormProps extends Omit<ConfirmButtonProps, 'title'> {
  readonly onClose: () => void;
}

function ConfirmForm({ label, consequences, typed, isGrave, act, said, onClose }: ConfirmFormProps) {
  const notify = useNotify();
  const [text, setText] = useState('');
  const [problem, setProblem] = useState<string>();
  const [isBusy, setBusy] = useState(false);
  const isReady = typed === undefined || text === typed;
  const submit = (event: SyntheticEvent): void => {
    event.preventDefault();
    if (!isReady || isBusy) return;
    setBusy(true);
    act().then(
      () => {
        onClose();
        notify(said);
      },
      (thrown: unknown) => {
        setProblem(ApiError.from(thrown).message);
        setBusy(false);
      },
    );
  };
  return (
    <form className="form" noValidate onSubmit={submit}>
      <ul className="consequences">
        {consequences.map((sentence) => (
          <li key={sentence}>{sentence}</li>
        ))}
      </ul>
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

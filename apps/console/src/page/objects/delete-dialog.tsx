import { type SyntheticEvent, useId, useState } from 'react';
import { type ApiObject, nameOf } from '../api/api-object.ts';
import type { ObjectKind } from '../api/object-kind.ts';
import { deleteObject } from '../api/save-object.ts';
import { ApiError } from '../http/api-error.ts';
import { Dialog } from '../parts/dialog.tsx';
import { useSession } from '../session/use-session.ts';

interface DeleteDialogProps {
  readonly kind: ObjectKind;
  readonly object: ApiObject;
  /** What will happen, with names and counts, as sentences. */
  readonly consequences: readonly string[];
  /** More than one object, or somebody's workload: the name must be typed. */
  readonly isGrave: boolean;
  readonly isOpen: boolean;
  readonly onClose: () => void;
  readonly onDeleted: () => void;
}

/** Says what will happen, and asks for the name where it is grave. */
export function DeleteDialog({ kind, object, consequences, isGrave, isOpen, onClose, onDeleted }: DeleteDialogProps) {
  const id = useId();
  const session = useSession();
  const [typed, setTyped] = useState('');
  const [problem, setProblem] = useState<string>();
  const [isBusy, setBusy] = useState(false);
  const name = nameOf(object);
  const isAllowed = !isGrave || typed === name;
  const remove = (event: SyntheticEvent): void => {
    event.preventDefault();
    if (!isAllowed || isBusy) return;
    setBusy(true);
    deleteObject(session, kind, object).then(onDeleted, (thrown: unknown) => {
      setProblem(ApiError.from(thrown).message);
      setBusy(false);
    });
  };
  return (
    <Dialog title={`Delete ${kind.singular} ${name}`} isOpen={isOpen} onClose={onClose}>
      <form className="form" onSubmit={remove}>
        <ul className="consequences">
          {consequences.map((consequence) => (
            <li key={consequence}>{consequence}</li>
          ))}
        </ul>
        {isGrave && (
          <div className="form-field">
            <label htmlFor={id}>
              Type <code>{name}</code> to go on
            </label>
            <input
              id={id}
              className="field mono"
              autoComplete="off"
              spellCheck={false}
              value={typed}
              onChange={({ currentTarget }) => setTyped(currentTarget.value)}
            />
          </div>
        )}
        {problem !== undefined && (
          <p className="field-problem" role="alert">
            {problem}
          </p>
        )}
        <div className="form-actions">
          <button type="submit" className="danger-button" disabled={!isAllowed || isBusy}>
            Delete {kind.singular}
          </button>
          <button type="button" className="quiet-button" onClick={onClose}>
            Keep it
          </button>
        </div>
      </form>
    </Dialog>
  );
}

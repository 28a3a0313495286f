import { useState } from 'react';
import { type ApiObject, nameOf } from '../api/api-object.ts';
import { callApi } from '../api/call-api.ts';
import { type ObjectKind, objectPath } from '../api/object-kind.ts';
import { Dialog } from '../parts/dialog.tsx';
import { FieldFrame, FieldProblem } from '../parts/field-frame.tsx';
import { useSubmit } from '../parts/use-submit.ts';
import { useSession } from '../session/session.ts';

interface DeleteDialogProps {
  readonly kind: ObjectKind;
  readonly object: ApiObject;
  /** What will happen, with names and counts, as sentences. */
  readonly consequences: readonly string[];
  /** More than one object, or somebody's workload: the name must be typed. */
  readonly needsConfirmation: boolean;
  readonly isOpen: boolean;
  readonly onClose: () => void;
  readonly onDeleted: () => void;
}

/** Says what will happen, and asks for the name where it is grave. */
export function DeleteDialog({ kind, object, consequences, needsConfirmation, isOpen, onClose, onDeleted }: DeleteDialogProps) {
  const session = useSession();
  const [typed, setTyped] = useState('');
  const name = nameOf(object);
  const isAllowed = !needsConfirmation || typed === name;
  const { submit, isBusy, problem } = useSubmit(isAllowed, async () => {
    const { id, metadata } = object;
    // This version and no newer one.
    await callApi(objectPath(session, kind, id), { method: 'DELETE', query: { version: metadata.version } });
    onDeleted();
  });
  return (
    <Dialog title={`Delete ${kind.singular} ${name}`} isOpen={isOpen} onClose={onClose}>
      <form className="form" onSubmit={submit}>
        <ul className="consequences">
          {consequences.map((consequence) => (
            <li key={consequence}>{consequence}</li>
          ))}
        </ul>
        {needsConfirmation && (
          <FieldFrame
            label={
              <>
                Type <code>{name}</code> to confirm
              </>
            }
          >
            {(control) => (
              <input {...control} className="field mono" value={typed} onChange={({ currentTarget }) => setTyped(currentTarget.value)} />
            )}
          </FieldFrame>
        )}
        <FieldProblem problem={problem} />
        <div className="form-actions">
          <button type="submit" className="danger-button" disabled={!isAllowed || isBusy}>
            Delete {kind.singular}
          </button>
          <button type="button" className="quiet-button" onClick={onClose}>
            Cancel
          </button>
        </div>
      </form>
    </Dialog>
  );
}

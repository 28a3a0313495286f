import { type ReactNode, useState } from 'react';
import { useLocation } from 'wouter';
import { type ApiObject, nameOf } from '../api/api-object.ts';
import { may, type ObjectKind } from '../api/object-kind.ts';
import { kindHref } from '../model/addresses.ts';
import { Dialog } from '../parts/dialog.tsx';
import { useSession } from '../session/use-session.ts';
import { DeleteDialog } from './delete-dialog.tsx';

interface ObjectActionsProps {
  readonly kind: ObjectKind;
  readonly object: ApiObject;
  /** The form that edits it. */
  readonly form: (onDone: () => void) => ReactNode;
  /** Of deleting it, with names and counts. */
  readonly consequences: readonly string[];
  /** More than one object, or somebody's workload. */
  readonly isGrave: boolean;
}

/** What may be done to an object: only what the session may do is offered. */
export function ObjectActions({ kind, object, form, consequences, isGrave }: ObjectActionsProps) {
  const session = useSession();
  const [, navigate] = useLocation();
  const [open, setOpen] = useState<'edit' | 'delete'>();
  const close = (): void => setOpen(undefined);
  const isLeaving = object.metadata.deletion_timestamp !== undefined;
  return (
    <div className="page-actions">
      {may(session, 'Update', kind) && (
        <button type="button" className="quiet-button" onClick={() => setOpen('edit')}>
          Edit
        </button>
      )}
      {may(session, 'Delete', kind) && !isLeaving && (
        <button type="button" className="quiet-button danger-link" onClick={() => setOpen('delete')}>
          Delete
        </button>
      )}
      <Dialog title={`Edit ${kind.singular} ${nameOf(object)}`} isOpen={open === 'edit'} onClose={close} size={640}>
        {form(close)}
      </Dialog>
      <DeleteDialog
        kind={kind}
        object={object}
        consequences={consequences}
        isGrave={isGrave}
        isOpen={open === 'delete'}
        onClose={close}
        onDeleted={() => {
          close();
          navigate(kindHref(kind.name));
        }}
      />
    </div>
  );
}

import type { Tone } from '@quartermaster/api/states';
import { type ComponentType, type ReactNode, useState } from 'react';
import { useLocation } from 'wouter';
import { type ApiObject, nameOf } from '../api/api-object.ts';
import { may, type ObjectKind } from '../api/object-kind.ts';
import { sentenceCase } from '../model/amounts.ts';
import { Dialog } from '../parts/dialog.tsx';
import type { FactList } from '../parts/facts.tsx';
import { useNotify } from '../parts/notice.tsx';
import { usePageTitle } from '../parts/page-title.ts';
import { Panel } from '../parts/panel.tsx';
import { StateWord } from '../parts/state-word.tsx';
import { useSession } from '../session/session.ts';
import { AuditTimeline } from './audit-timeline.tsx';
import { DeleteDialog } from './delete-dialog.tsx';
import { ObjectFacts } from './object-facts.tsx';
import type { ObjectFormProps } from './object-form.tsx';

interface ObjectViewProps<T extends ApiObject> {
  readonly kind: ObjectKind;
  readonly object: T;
  readonly chain?: ReactNode;
  readonly state?: { readonly tone: Tone; readonly word: string } | undefined;
  /** Beside its name. */
  readonly lead?: ReactNode;
  /** Edits it. */
  readonly form: ComponentType<ObjectFormProps<T> & { readonly object: T }>;
  readonly formWidth?: number | undefined;
  /** Of deleting it, with names and counts, as sentences; what is false does not apply. */
  readonly consequences: readonly (string | false)[];
  /** More than one object, or somebody's workload: the name must be typed. */
  readonly needsConfirmation: boolean;
  /** Why the service would refuse to delete it now, and what to do first. */
  readonly blockedBy?: string | undefined;
  /** What else can be done. */
  readonly actions?: ReactNode;
  /** What its kind has beside what every object has; without it no facts are listed. */
  readonly facts?: FactList | undefined;
  readonly children: ReactNode;
}

/** One object: its name and state, what may be done to it, what there is to know, and its history. Only what the session may do is offered. */
export function ObjectView<T extends ApiObject>(props: ObjectViewProps<T>) {
  const {
    kind,
    object,
    chain,
    state,
    lead,
    form: Form,
    formWidth = 640,
    consequences,
    needsConfirmation,
    blockedBy,
    actions,
    facts,
    children,
  } = props;
  const session = useSession();
  const isClosed = kind.writers !== undefined && !may(session, 'Update', kind);
  const mayDelete = (may(session, 'Delete', kind) || isClosed) && object.metadata.deletion_timestamp === undefined;
  const blocked = isClosed ? kind.writers : blockedBy;
  const [, navigate] = useLocation();
  const [open, setOpen] = useState<'edit' | 'delete'>();
  const close = (): void => setOpen(undefined);
  const notify = useNotify();
  const name = nameOf(object);
  usePageTitle(name, sentenceCase(kind.plural));
  return (
    <>
      <header className="page-head">
        {chain}
        <h1>{name}</h1>
        {state !== undefined && <StateWord {...state} />}
        {lead}
        <div className="page-actions">
          {(may(session, 'Update', kind) || isClosed) && (
            <button
              type="button"
              className="quiet-button"
              disabled={isClosed}
              title={isClosed ? kind.writers : undefined}
              onClick={() => setOpen('edit')}
            >
              Edit
            </button>
          )}
          {mayDelete && (
            <button
              type="button"
              className="quiet-button danger-link"
              disabled={blocked !== undefined}
              title={blocked}
              aria-describedby={blocked === undefined ? undefined : 'delete-blocked'}
              onClick={() => setOpen('delete')}
            >
              Delete
            </button>
          )}
        </div>
        {actions}
        {mayDelete && blocked !== undefined && (
          <p id="delete-blocked" className="dim page-note">
            {isClosed ? blocked : `Delete: ${blocked}`}
          </p>
        )}
      </header>
      {children}
      {facts !== undefined && (
        <Panel title="Facts" source="fulfillment">
          <ObjectFacts object={object} facts={facts} />
        </Panel>
      )}
      <AuditTimeline kind={kind} id={object.id} />
      <Dialog title={`Edit ${kind.singular} ${name}`} isOpen={open === 'edit'} onClose={close} size={formWidth}>
        <Form
          object={object}
          onSaved={() => {
            close();
            notify(`Saved the ${kind.singular} ${name}.`);
          }}
          onCancel={close}
        />
      </Dialog>
      <DeleteDialog
        kind={kind}
        object={object}
        consequences={consequences.filter((each) => each !== false)}
        needsConfirmation={needsConfirmation}
        isOpen={open === 'delete'}
        onClose={close}
        onDeleted={() => {
          close();
          notify(`Deleted the ${kind.singular} ${name}.`);
          navigate(kind.href);
        }}
      />
    </>
  );
}

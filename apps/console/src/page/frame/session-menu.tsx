import { useState } from 'react';
import { Dialog } from '../parts/dialog.tsx';
import { SignInForm } from '../session/sign-in-form.tsx';
import { useSession } from '../session/use-session.ts';

/** Who looks, always in sight; a click tells more and lets somebody else in. */
export function SessionMenu() {
  const { kind, name, role, tenants, problem } = useSession();
  const [isOpen, setOpen] = useState(false);
  if (kind === 'none') return null;
  const who = kind === 'local' ? 'this installation' : name;
  return (
    <>
      <button type="button" className="session-button" title={`You are ${who}, ${role}`} onClick={() => setOpen(true)}>
        {kind === 'local' ? role : `${name} · ${role}`}
      </button>
      <Dialog title="Who is looking" isOpen={isOpen} onClose={() => setOpen(false)}>
        <dl className="facts-list">
          <div>
            <dt>You are</dt>
            <dd>{kind === 'local' ? 'nobody in particular: this installation itself looks' : name}</dd>
          </div>
          <div>
            <dt>Role</dt>
            <dd>{role}</dd>
          </div>
          <div>
            <dt>Sees</dt>
            <dd>
              {tenants.includes('*') ? 'everything' : tenants.length === 0 ? 'not known yet' : `what belongs to ${tenants.join(', ')}`}
            </dd>
          </div>
          {problem !== undefined && (
            <div>
              <dt>Problem</dt>
              <dd>{problem}</dd>
            </div>
          )}
        </dl>
        <h3 className="dialog-heading">{kind === 'token' ? 'Be somebody else' : 'Sign in as somebody'}</h3>
        <SignInForm isSignedIn={kind === 'token'} />
      </Dialog>
    </>
  );
}

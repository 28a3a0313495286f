import { CopyButton } from '@mantine/core';
import { shortId } from '../model/short-id.ts';

/** An id, shortened in the middle, copied whole by a click. */
export function CopyId({ id }: { readonly id: string }) {
  return (
    <CopyButton value={id} timeout={2000}>
      {({ copied, copy }) => (
        <button type="button" className="id-button mono" title={`Copy ${id}`} onClick={copy}>
          {copied ? 'copied' : shortId(id)}
        </button>
      )}
    </CopyButton>
  );
}

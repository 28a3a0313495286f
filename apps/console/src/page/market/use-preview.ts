import { useQuery } from '@tanstack/react-query';
import { type ApiError, problemOf } from '../api/api-error.ts';
import { callApi } from '../api/call-api.ts';
import { useTyped } from '../pods/use-pods.ts';
import { marketPath } from '../upstreams/use-market.ts';
import type { SdlFault } from './sdl-editor.tsx';

/** What an update to another SDL would do to what runs. */
export interface Preview {
  readonly changes: readonly { readonly service: string; readonly code: string; readonly message: string }[];
  /** Services whose pods are replaced, one after another. */
  readonly restarted: readonly string[];
  /** `service/volume`: their data goes. */
  readonly lost_volumes: readonly string[];
  readonly faults: readonly SdlFault[];
}

export interface Previewed {
  readonly preview: Preview | undefined;
  /** Whether it is about the text as it is now. */
  readonly isCurrent: boolean;
  readonly problem: ApiError | undefined;
}

/** What the market says that an update would change, asked after a pause in typing. What was said of the text before stays until there is an answer. */
export function usePreview(id: string, sdl: string, isWanted: boolean): Previewed {
  const text = useTyped(sdl);
  const enabled = isWanted && text.trim() !== '';
  const { data, error, failureReason, isPlaceholderData } = useQuery({
    queryKey: ['update preview', id, text],
    queryFn: ({ signal }) =>
      callApi<Preview>(`${marketPath}/deployments/${encodeURIComponent(id)}:preview`, { method: 'POST', body: { sdl: text }, signal }),
    enabled,
    placeholderData: (before) => before,
    // It may hold passwords: none of it stays in memory.
    gcTime: 0,
  });
  return {
    preview: enabled ? data : undefined,
    isCurrent: sdl === text && !isPlaceholderData && data !== undefined,
    problem: enabled ? problemOf(error ?? failureReason) : undefined,
  };
}

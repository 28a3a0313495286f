/** What the keyboard can ask of the frame. */
export type KeyCommand =
  | { readonly kind: 'search' }
  | { readonly kind: 'help' }
  | { readonly kind: 'close' }
  | { readonly kind: 'release' }
  | { readonly kind: 'explain' }
  | { readonly kind: 'go'; readonly href: string };

export interface KeyState {
  /** When `g` was pressed, if the next key completes it. */
  readonly goAt: number | undefined;
}

export interface KeyPress {
  readonly key: string;
  readonly at: number;
  /** The press belongs to a text field: only Escape reaches the frame. */
  readonly isTyping: boolean;
  readonly hasModifier: boolean;
}

export const noKeys: KeyState = { goAt: undefined };

const goTimeoutMs = 1_500;

/** What a key press means after what came before it. `pages` are where `g` and a key lead: key -> address. */
export function readKey(
  state: KeyState,
  press: KeyPress,
  pages: ReadonlyMap<string, string>,
): { readonly state: KeyState; readonly command?: KeyCommand } {
  if (press.key === 'Escape') return { state: noKeys, command: { kind: 'close' } };
  if (press.isTyping || press.hasModifier) return { state: noKeys };
  const page = state.goAt !== undefined && press.at - state.goAt <= goTimeoutMs ? pages.get(press.key) : undefined;
  if (page !== undefined) return { state: noKeys, command: { kind: 'go', href: page } };
  switch (press.key) {
    case 'g':
      return { state: { goAt: press.at } };
    case '/':
      return { state: noKeys, command: { kind: 'search' } };
    case '?':
      return { state: noKeys, command: { kind: 'help' } };
    case 'e':
      return { state: noKeys, command: { kind: 'explain' } };
    case 'r':
      return { state: noKeys, command: { kind: 'release' } };
    default:
      return { state: noKeys };
  }
}

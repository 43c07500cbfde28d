/** One paragraph as it came back from an editor's tool. */
export interface EditedUnit {
  /** The block's id where the tool kept it. */
  id: string | undefined;
  source: string;
  target: string;
  /** Why the unit cannot be read; its text is then not to be used. */
  fault?: 'UNKNOWN_MARKUP';
}

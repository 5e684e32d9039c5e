/** A face that a dialog saved. */
export interface SavedFace {
  faceId: string;
  /** The choices from which the face was made, kept in the character so that it can be edited again. */
  recipe?: unknown;
  fullPath: string;
  thumbPath: string;
}

/** The properties of the dialogs that make a face of a character. */
export interface FaceDialogProps {
  projectId: string;
  character: { characterId: string; name: string };
  /** The stored choices of the present face, if it was made with the same dialog. */
  recipe?: unknown;
  onSaved: (saved: SavedFace) => void;
  onClose: () => void;
}

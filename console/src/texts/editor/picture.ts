const percent = (value: number) => Math.round(value * 100);

/** Texts of the dialog "Use a picture". */
export const pictureTexts = {
  title: (name: string) => `Use a picture for ${name}`,
  consent: 'Use pictures of people only with their permission.',
  choose: 'Choose a picture',
  chooseHelp:
    'A portrait that looks at the camera, with the mouth closed: PNG, JPEG or WebP. You can also drop a file here. It is made smaller and stored without its metadata.',
  other: 'Choose another picture',
  opening: 'Opening the picture…',
  looking: 'Looking for the face…',
  guessed: 'The points are a guess from colours and proportions. Check them, and move each one to its place.',
  notFound: 'No face was found. Move each point to its place.',
  stored: 'Move the points if the face does not move as it should.',
  help: 'Drag the points, or focus one and press the arrow keys; with Shift, the steps are larger.',
  stage: 'The picture with the points of the face',
  handles: {
    leftEye: 'Eye on the left',
    rightEye: 'Eye on the right',
    leftCorner: 'Left corner of the mouth',
    middle: 'Middle of the mouth, between the lips',
    rightCorner: 'Right corner of the mouth',
    chin: 'Lowest point of the chin',
  },
  handle: (name: string, x: number, y: number) => `${name}: ${percent(x)} % across, ${percent(y)} % down`,
  at: (x: number, y: number) => `${percent(x)} % across, ${percent(y)} % down`,
  eyeHeight: 'How far the eyes are open',
  closely: 'Show the face closely',
  whole: 'Show the whole picture',
  preview: (name: string) => `The face of ${name}, as visitors will see it`,
  speak: 'Let it speak',
  quiet: 'Stop speaking',
  undo: 'Undo',
  redo: 'Redo',
  save: 'Use this picture',
  leaveTitle: 'Leave without this picture?',
  leaveText: 'The picture is not saved yet.',
  leave: 'Leave',
  problems: {
    format: 'This file is not a picture that can be used. Choose a PNG, JPEG or WebP.',
    drawing:
      'This is a drawing. Only PNG, JPEG and WebP can be moved; choose one of these, or make a face from parts.',
    tooLarge: (most: number) => `The file is larger than ${most} MiB. Choose a smaller one.`,
    tooManyPixels: (most: number) =>
      `The picture has more than ${most} million pixels. Choose a smaller one.`,
    tooSmall: (least: number) => `The picture is too small: each side needs at least ${least} pixels.`,
    unreadable: 'Your browser cannot read this picture. It may be damaged; export it again as PNG or JPEG.',
    gone: 'The stored picture could not be loaded. Choose a picture.',
    eyes: 'The eyes are in one place. Move them apart.',
    mouth: 'The corners of the mouth are in one place. Move them apart.',
    chin: 'The chin is on the mouth. Move it down.',
  },
} as const;

import { useSignal } from '@preact/signals';
import { useEffect, useId, useRef } from 'preact/hooks';
import { messageOf } from '../../../api/client.ts';
import { Button } from '../../../parts/button.tsx';
import { Select } from '../../../parts/field.tsx';
import { galleryTexts } from '../../../texts/editor/gallery.ts';
import { type Crop, cut, draw, renamed, resultSize, type Shape, shapes } from './cropping.ts';

const cropTexts = galleryTexts.crop;
/** Width of the canvas in the dialog, in pixels. */
const shownWidth = 640;

interface CropStepProps {
  file: File;
  shape: Shape;
  /** Uploads the picture. A failure is shown here. */
  onUse(picture: Blob, name: string): Promise<void>;
  onBack(): void;
}

/** Crops a chosen file in the browser, before it is uploaded. */
export function CropStep({ file, shape, onUse, onBack }: CropStepProps) {
  const picture = useSignal<ImageBitmap | undefined>(undefined);
  const problem = useSignal<string | undefined>(undefined);
  const crop = useSignal<Crop>({ shape, zoom: 1, across: 0.5, down: 0.5 });
  const isSvg = file.type === 'image/svg+xml' || /\.svg$/i.test(file.name);
  useEffect(() => {
    if (isSvg) return;
    let isCurrent = true;
    createImageBitmap(file).then(
      (decoded) => {
        if (isCurrent) picture.value = decoded;
      },
      () => {
        if (isCurrent) problem.value = cropTexts.unreadable;
      },
    );
    return () => {
      isCurrent = false;
      picture.value?.close();
    };
  }, [file]);
  const use = async () => {
    problem.value = undefined;
    const { shape: chosen, zoom } = crop.value;
    try {
      if (isSvg || picture.value === undefined || (chosen === 'original' && zoom === 1)) {
        await onUse(file, file.name);
        return;
      }
      const blob = await cut(picture.value, crop.value);
      await onUse(blob, renamed(file.name, blob.type));
    } catch (error) {
      problem.value = messageOf(error);
    }
  };
  return (
    <>
      {isSvg ? <p>{cropTexts.svg}</p> : null}
      {picture.value === undefined ? null : <Cropper picture={picture.value} crop={crop} />}
      {problem.value === undefined ? null : (
        <p class="bad" role="alert">
          {problem.value}
        </p>
      )}
      <div class="dialog-foot">
        <Button onPress={onBack}>{cropTexts.back}</Button>
        <Button look="primary" onPress={use} disabled={!isSvg && picture.value === undefined}>
          {cropTexts.use}
        </Button>
      </div>
    </>
  );
}

function Cropper({ picture, crop }: { picture: ImageBitmap; crop: { value: Crop } }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const { shape, zoom, across, down } = crop.value;
  const ratio = shapes[shape] ?? picture.width / picture.height;
  const size = resultSize(picture, crop.value);
  const set = (change: Partial<Crop>) => {
    crop.value = { ...crop.value, ...change };
  };
  useEffect(() => {
    if (canvas.current !== null) draw(canvas.current, picture, crop.value);
  }, [picture, crop.value]);
  const drag = ({ currentTarget, pointerId, movementX, movementY }: PointerEvent) => {
    const target = currentTarget as HTMLCanvasElement;
    if (!target.hasPointerCapture(pointerId)) return;
    // What is outside the shape, in shown pixels, is the distance between the two ends of a position.
    const scale = target.clientWidth / (Math.min(picture.width, picture.height * ratio) / zoom);
    const spareX = picture.width * scale - target.clientWidth;
    const spareY = picture.height * scale - target.clientHeight;
    set({
      across: spareX < 1 ? 0.5 : within(across - movementX / spareX),
      down: spareY < 1 ? 0.5 : within(down - movementY / spareY),
    });
  };
  return (
    <>
      <canvas
        ref={canvas}
        class={`crop of-${shape}`}
        width={shownWidth}
        height={Math.round(shownWidth / ratio)}
        role="img"
        aria-label={cropTexts.canvas}
        onPointerDown={({ currentTarget, pointerId }) => currentTarget.setPointerCapture(pointerId)}
        onPointerMove={drag}
      />
      <p class="soft number">
        {cropTexts.help} {cropTexts.size(size.width, size.height)}
      </p>
      <div class="crop-fields">
        <Select
          label={cropTexts.shape}
          value={shape}
          options={Object.entries(cropTexts.shapes).map(([value, label]) => ({ value, label }))}
          onChange={(chosen) => set({ shape: chosen as Shape })}
        />
        <Slider
          label={cropTexts.zoom}
          from={1}
          to={4}
          value={zoom}
          onInput={(value) => set({ zoom: value })}
        />
        <Slider
          label={cropTexts.across}
          from={0}
          to={1}
          value={across}
          onInput={(value) => set({ across: value })}
        />
        <Slider
          label={cropTexts.down}
          from={0}
          to={1}
          value={down}
          onInput={(value) => set({ down: value })}
        />
      </div>
    </>
  );
}

const within = (value: number) => Math.min(1, Math.max(0, value));

interface SliderProps {
  label: string;
  from: number;
  to: number;
  value: number;
  onInput(value: number): void;
}

function Slider({ label, from, to, value, onInput }: SliderProps) {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <input
        id={id}
        class="slider"
        type="range"
        min={from}
        max={to}
        step={0.01}
        value={value}
        onInput={({ currentTarget }) => onInput(Number(currentTarget.value))}
      />
    </div>
  );
}

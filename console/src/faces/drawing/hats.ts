import { lightened, lined, shaded } from './color.ts';
import { isWrapped, type Recipe } from './recipe.ts';

/** The hat; none above a headscarf or a turban. */
export function hat(recipe: Recipe): string {
  const { hat: kind, headwearColor: color } = recipe;
  if (isWrapped(recipe)) return '';
  const dark = shaded(color, 0.74);
  const fold = lined(color);
  switch (kind) {
    case 'beanie':
      return (
        `<path d="M156 196C146 108 190 66 240 66S334 108 324 196Z" fill="${color}"/>` +
        `<path d="M280 76C316 94 332 136 324 196H296C304 150 302 108 280 76Z" fill="${dark}" opacity=".6"/>` +
        `<path d="M200 86C188 112 182 142 182 168M240 70V168M280 86C292 112 298 142 298 168" fill="none" stroke="${fold}" stroke-width="4" opacity=".7"/>` +
        `<rect x="144" y="158" width="192" height="50" rx="24" fill="${lightened(color, 0.12)}"/>` +
        `<path d="M170 170V196M194 166V201M218 166V203M242 166V203M266 166V203M290 166V200M312 172V194" fill="none" stroke="${fold}" stroke-width="5"/>`
      );
    case 'cap':
      return (
        `<path d="M154 200C146 122 188 86 240 86S334 122 326 200Z" fill="${color}"/>` +
        `<path d="M278 94C316 112 332 150 326 200H298C306 160 302 122 278 94Z" fill="${dark}" opacity=".6"/>` +
        `<path d="M206 94C192 120 186 150 186 180M274 94C288 120 294 150 294 180" fill="none" stroke="${fold}" stroke-width="4"/>` +
        `<circle cx="240" cy="87" r="9" fill="${dark}"/><circle cx="240" cy="142" r="21" fill="#fff3e0"/><path d="M240 129l4 9 10 1-7 7 2 10-9-5-9 5 2-10-7-7 10-1Z" fill="${color}"/>` +
        `<path d="M146 190C186 172 294 172 334 190C362 200 362 218 342 216C302 198 178 198 138 216C118 218 118 200 146 190Z" fill="${dark}"/>` +
        `<path d="M146 190C186 172 294 172 334 190C350 196 356 204 354 210C306 186 174 186 126 210C124 204 130 196 146 190Z" fill="${color}"/>`
      );
    case 'straw':
      return (
        '<path d="M64 184C68 150 150 138 240 138S412 150 416 184C418 210 332 208 240 204S62 210 64 184Z" fill="#f0c97a"/>' +
        '<path d="M64 184C62 210 148 208 240 204S418 210 416 184C396 200 330 194 240 192S84 200 64 184Z" fill="#c98f3e" opacity=".8"/>' +
        '<path d="M152 154C150 92 186 66 240 66S330 92 328 154C300 170 180 170 152 154Z" fill="#fbe2a2"/>' +
        '<path d="M284 74C316 86 330 112 328 154C318 160 304 163 290 164C300 134 300 100 284 74Z" fill="#c98f3e" opacity=".45"/>' +
        `<path d="M152 130Q240 154 328 130L328 156C300 172 180 172 152 156Z" fill="${color}"/>` +
        `<path d="M292 146q22-16 34 2-8 14-34-2ZM292 146q20 20 34 22-2-20-34-22Z" fill="${lightened(color, 0.2)}"/><circle cx="292" cy="148" r="7" fill="${dark}"/>`
      );
    case 'beret':
      return (
        `<path d="M164 206C132 196 118 160 140 128C162 98 214 84 262 88C330 92 366 128 352 164C346 182 334 190 318 196C276 176 206 178 164 206Z" fill="${color}"/>` +
        `<path d="M286 92C344 104 364 136 352 164C346 182 334 190 318 196C308 191 298 188 288 186C318 160 318 124 286 92Z" fill="${dark}" opacity=".55"/>` +
        `<path d="M158 134C186 112 224 104 262 106" fill="none" stroke="${lightened(color, 0.25)}" stroke-width="6" opacity=".8"/>` +
        `<path d="M246 90q-2-14 6-20" fill="none" stroke="${dark}" stroke-width="8"/>` +
        `<path d="M160 204C204 176 278 174 322 194" fill="none" stroke="${dark}" stroke-width="11"/>`
      );
    case 'officer':
      return (
        `<path d="M140 144C136 94 190 68 240 68S344 94 340 144C336 168 322 178 320 184H160C158 178 144 168 140 144Z" fill="${color}"/>` +
        `<path d="M288 78C326 92 342 114 340 144C336 168 322 178 320 184H290C304 160 310 112 288 78Z" fill="${dark}" opacity=".6"/>` +
        '<path d="M158 170Q240 152 322 170L320 198Q240 182 160 198Z" fill="#2b2140"/>' +
        '<path d="M158 170Q240 152 322 170L321 180Q240 162 159 180Z" fill="#f2c14e"/>' +
        '<path d="M158 196Q240 176 322 196C318 218 282 209 240 209S162 218 158 196Z" fill="#1d1730"/>' +
        '<path d="M176 198Q240 184 300 197" fill="none" stroke="#5a4b78" stroke-width="5"/>' +
        `<circle cx="240" cy="126" r="20" fill="#f2c14e"/><path d="M240 112l4 9 10 1-7 7 2 10-9-5-9 5 2-10-7-7 10-1Z" fill="${shaded(color, 0.62)}"/>`
      );
    default:
      return '';
  }
}

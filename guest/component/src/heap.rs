//! The allocator: free lists before dlmalloc.
//!
//! A decision takes and gives back four small pieces of memory, and a search for the best fit each
//! time costs more than the decision. Here a piece goes on the list of its size when it is given
//! back, and the next of that size comes from there. What the lists hold is never given back; it is
//! bounded by what one call had in use at once.

use core::alloc::{GlobalAlloc, Layout};
use core::cell::UnsafeCell;
use core::ptr;

use dlmalloc::GlobalDlmalloc;

/// Sizes on lists: 16, 32, 64 … 4096 bytes.
const CLASSES: usize = 9;
const SMALLEST: usize = 16;
const LARGEST: usize = SMALLEST << (CLASSES - 1);
/// What new small pieces are cut from. The first lies in memory that every instance has from the
/// start, so that most never ask their host for more.
const CHUNK: usize = 32 * 1024;

/// The allocator.
pub(crate) struct Heap {
    lists: UnsafeCell<Lists>,
    first: UnsafeCell<Chunk>,
}

struct Lists {
    free: [*mut u8; CLASSES],
    /// The rest of the chunk at hand.
    next: *mut u8,
    left: usize,
    begun: bool,
}

#[repr(align(16))]
struct Chunk(#[expect(dead_code, reason = "used by address")] [u8; CHUNK]);

// SAFETY: an instance of a component has one thread.
unsafe impl Sync for Heap {}

impl Heap {
    pub(crate) const fn new() -> Self {
        Self {
            lists: UnsafeCell::new(Lists {
                free: [ptr::null_mut(); CLASSES],
                next: ptr::null_mut(),
                left: 0,
                begun: false,
            }),
            first: UnsafeCell::new(Chunk([0; CHUNK])),
        }
    }

    /// A piece that was never in use, of the size `SMALLEST << class`.
    #[cold]
    #[inline(never)]
    fn cut(&self, lists: &mut Lists, size: usize) -> *mut u8 {
        if lists.left < size {
            let chunk = if lists.begun {
                // SAFETY: a size and an alignment that are valid.
                unsafe { GlobalDlmalloc.alloc(Layout::new::<Chunk>()) }
            } else {
                self.first.get().cast()
            };
            if chunk.is_null() {
                return chunk;
            }
            // The rest of the former chunk is lost: less than one piece of a larger size.
            lists.begun = true;
            lists.next = chunk;
            lists.left = CHUNK;
        }
        let piece = lists.next;
        // SAFETY: `size` bytes are left in the chunk, as was just seen.
        lists.next = unsafe { piece.add(size) };
        lists.left = lists.left.wrapping_sub(size);
        piece
    }
}

/// The class of a layout, if it is small.
#[inline]
const fn class(layout: &Layout) -> Option<usize> {
    if layout.size() > LARGEST || layout.align() > SMALLEST {
        return None;
    }
    // The bits above those of the smallest size.
    let above = layout.size().saturating_sub(1) / SMALLEST;
    Some((usize::BITS.wrapping_sub(above.leading_zeros())) as usize)
}

// SAFETY: a piece is on a list or in use, never both; it is as large as its class, and aligned to
// the smallest size, since chunks are and all sizes are multiples of it. Both `alloc` and `dealloc`
// find the class in the layout, which is the same for both.
unsafe impl GlobalAlloc for Heap {
    #[inline]
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let Some(class) = class(&layout) else {
            // SAFETY: the caller's promise.
            return unsafe { GlobalDlmalloc.alloc(layout) };
        };
        // SAFETY: one thread, and nothing here calls back.
        let lists = unsafe { &mut *self.lists.get() };
        // SAFETY: `class` is below `CLASSES`, since the size is at most the largest.
        let list = unsafe { lists.free.get_unchecked_mut(class) };
        let piece = *list;
        if piece.is_null() {
            return self.cut(lists, SMALLEST << class);
        }
        // SAFETY: a free piece holds the address of the next one.
        *list = unsafe { piece.cast::<*mut u8>().read() };
        piece
    }

    #[inline]
    unsafe fn dealloc(&self, piece: *mut u8, layout: Layout) {
        let Some(class) = class(&layout) else {
            // SAFETY: the caller's promise: it came from there.
            return unsafe { GlobalDlmalloc.dealloc(piece, layout) };
        };
        // SAFETY: as in `alloc`; the piece is ours again and has room for an address.
        unsafe {
            let list = (*self.lists.get()).free.get_unchecked_mut(class);
            piece.cast::<*mut u8>().write(*list);
            *list = piece;
        }
    }

    unsafe fn realloc(&self, piece: *mut u8, layout: Layout, new_size: usize) -> *mut u8 {
        // SAFETY: the caller's promise: the size is valid for this alignment.
        let new = unsafe { Layout::from_size_align_unchecked(new_size, layout.align()) };
        match (class(&layout), class(&new)) {
            (Some(old), Some(new)) if old == new => piece,
            // SAFETY: the caller's promise: it came from there.
            (None, None) => unsafe { GlobalDlmalloc.realloc(piece, layout, new_size) },
            _ => {
                // SAFETY: the caller's promise; old and new do not overlap.
                unsafe {
                    let copy = self.alloc(new);
                    if !copy.is_null() {
                        ptr::copy_nonoverlapping(piece, copy, layout.size().min(new_size));
                        self.dealloc(piece, layout);
                    }
                    copy
                }
            }
        }
    }
}

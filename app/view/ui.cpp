// SPDX-License-Identifier: MIT
// The panels' library behind the plain functions of ui.h: the only file in C++.
#include "app/view/ui.h"

#include <backends/imgui_impl_glfw.h>
#include <backends/imgui_impl_opengl3.h>
#include <imgui.h>

#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

static const ImU32 curveColours[] = {
    IM_COL32(96, 180, 255, 255),  IM_COL32(255, 170, 80, 255),  IM_COL32(120, 220, 130, 255),
    IM_COL32(235, 110, 110, 255), IM_COL32(190, 150, 255, 255), IM_COL32(240, 220, 100, 255),
    IM_COL32(110, 220, 220, 255), IM_COL32(230, 150, 200, 255),
};
static const int curveColourCount = sizeof curveColours / sizeof curveColours[0];

static void loadFont(void) {
    static const char path[] = "/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf";
    ImGuiIO &io = ImGui::GetIO();
    if (access(path, R_OK) == 0)
        io.Fonts->AddFontFromFileTTF(path, 14.0f);
    else
        io.Fonts->AddFontDefault();
}

static void setStyle(void) {
    ImGui::StyleColorsDark();
    ImGuiStyle &style = ImGui::GetStyle();
    style.WindowRounding = 0;
    style.WindowBorderSize = 0;
    style.FrameRounding = 3;
    style.GrabRounding = 3;
    style.ItemSpacing = ImVec2(6, 4);
    style.WindowPadding = ImVec2(8, 6);
    style.Colors[ImGuiCol_WindowBg] = ImVec4(0.09f, 0.10f, 0.12f, 1);
    style.Colors[ImGuiCol_HeaderHovered] = ImVec4(0.18f, 0.33f, 0.53f, 1); // faint text is read on it, too
    style.Colors[ImGuiCol_FrameBg] = ImVec4(0.17f, 0.19f, 0.23f, 1);
}

extern "C" void wbUi_Open(void *windowHandle) {
    IMGUI_CHECKVERSION();
    ImGui::CreateContext();
    ImGui::GetIO().IniFilename = NULL; // nothing is remembered on disk
    loadFont();
    setStyle();
    ImGui_ImplGlfw_InitForOpenGL((GLFWwindow *)windowHandle, true);
    ImGui_ImplOpenGL3_Init("#version 330 core");
}

extern "C" void wbUi_Close(void) {
    ImGui_ImplOpenGL3_Shutdown();
    ImGui_ImplGlfw_Shutdown();
    ImGui::DestroyContext();
}

// Panels of this frame; wbUi_HasMouseAt is asked between frames. The library itself only knows where the cursor was in the last one.
static ImVec4 panels[16];
static int panelCount;

static void notePanel(float x, float y, float width, float height) {
    if (panelCount < 16) panels[panelCount++] = ImVec4(x, y, x + width, y + height);
}

extern "C" bool wbUi_HasMouseAt(float x, float y) {
    for (int i = 0; i < panelCount; i++)
        if (x >= panels[i].x && y >= panels[i].y && x < panels[i].z && y < panels[i].w) return true;
    return ImGui::IsPopupOpen((const char *)NULL, ImGuiPopupFlags_AnyPopup);
}
extern "C" void wbUi_BeginFrame(void) {
    ImGui_ImplOpenGL3_NewFrame();
    ImGui_ImplGlfw_NewFrame();
    ImGui::NewFrame();
    panelCount = 0;
}

extern "C" void wbUi_EndFrame(void) {
    ImGui::Render();
    ImGui_ImplOpenGL3_RenderDrawData(ImGui::GetDrawData());
}

extern "C" bool wbUi_HasKeys(void) { return ImGui::GetIO().WantTextInput; }
extern "C" void wbUi_LeaveField(void) { ImGui::SetWindowFocus(NULL); }

extern "C" bool wbUi_BeginPanel(const char *name, float x, float y, float width, float height) {
    notePanel(x, y, width, height);
    ImGui::SetNextWindowPos(ImVec2(x, y));
    ImGui::SetNextWindowSize(ImVec2(width, height));
    return ImGui::Begin(name, NULL,
                        ImGuiWindowFlags_NoTitleBar | ImGuiWindowFlags_NoResize | ImGuiWindowFlags_NoMove |
                            ImGuiWindowFlags_NoCollapse | ImGuiWindowFlags_NoBringToFrontOnFocus |
                            ImGuiWindowFlags_NoNav);
}

extern "C" bool wbUi_BeginPopup(const char *name, float x, float y, float width, float height, bool *open) {
    notePanel(x, y, width, height);
    ImGui::SetNextWindowPos(ImVec2(x, y));
    ImGui::SetNextWindowSize(ImVec2(width, height));
    return ImGui::Begin(name, open,
                        ImGuiWindowFlags_NoResize | ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoCollapse |
                            ImGuiWindowFlags_NoNav);
}

extern "C" void wbUi_EndPanel(void) { ImGui::End(); }

static void addTooltip(const char *tooltip) {
    if (!tooltip || !tooltip[0] || !ImGui::IsItemHovered(ImGuiHoveredFlags_AllowWhenDisabled)) return;
    ImGui::BeginTooltip();
    ImGui::PushTextWrapPos(340);
    ImGui::TextUnformatted(tooltip);
    ImGui::PopTextWrapPos();
    ImGui::EndTooltip();
}

extern "C" void wbUi_Text(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    ImGui::TextV(format, arguments);
    va_end(arguments);
}

static void writeWrapped(ImVec4 colour, const char *format, va_list arguments) {
    ImGui::PushTextWrapPos(0);
    ImGui::PushStyleColor(ImGuiCol_Text, colour);
    ImGui::TextV(format, arguments);
    ImGui::PopStyleColor();
    ImGui::PopTextWrapPos();
}

extern "C" void wbUi_Faint(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    writeWrapped(ImVec4(0.62f, 0.66f, 0.72f, 1), format, arguments);
    va_end(arguments);
}

extern "C" void wbUi_Warning(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    writeWrapped(ImVec4(1, 0.62f, 0.42f, 1), format, arguments);
    va_end(arguments);
}

extern "C" void wbUi_Pair(const char *name, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    char text[128];
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    ImGui::TextDisabled("%s", name);
    float width = ImGui::CalcTextSize(text).x;
    ImGui::SameLine(ImGui::GetWindowContentRegionMax().x - width);
    ImGui::TextUnformatted(text);
}

extern "C" bool wbUi_Button(const char *label, const char *tooltip) {
    bool isPressed = ImGui::Button(label);
    addTooltip(tooltip);
    return isPressed;
}

extern "C" bool wbUi_Toggle(const char *label, bool isOn, const char *tooltip) {
    if (isOn) ImGui::PushStyleColor(ImGuiCol_Button, ImVec4(0.20f, 0.47f, 0.78f, 1));
    bool isPressed = ImGui::Button(label);
    if (isOn) ImGui::PopStyleColor();
    addTooltip(tooltip);
    return isPressed;
}

extern "C" bool wbUi_Tick(const char *label, bool *value, const char *tooltip) {
    bool isChanged = ImGui::Checkbox(label, value);
    addTooltip(tooltip);
    return isChanged;
}

extern "C" bool wbUi_Combo(const char *label, int *value, const char *const *names, int count, float width,
                           const char *tooltip) {
    ImGui::SetNextItemWidth(width);
    bool isChanged = ImGui::Combo(label, value, names, count);
    addTooltip(tooltip);
    return isChanged;
}

extern "C" bool wbUi_Section(const char *label, bool isOpenAtFirst, const char *tooltip) {
    bool isOpen = ImGui::CollapsingHeader(label, isOpenAtFirst ? ImGuiTreeNodeFlags_DefaultOpen : 0);
    addTooltip(tooltip);
    return isOpen;
}

extern "C" bool wbUi_Selectable(const char *label, bool isSelected, const char *tooltip) {
    bool isPressed = ImGui::Selectable(label, isSelected);
    addTooltip(tooltip);
    return isPressed;
}

extern "C" bool wbUi_Card(wbUiCard *card) {
    ImVec2 at = ImGui::GetCursorScreenPos(), end(at.x + card->width, at.y + card->height);
    ImGui::PushID(card->title);
    bool isPressed = ImGui::Selectable("##card", card->isSelected, 0, ImVec2(0, card->height));
    ImGui::PopID();
    card->isSeen = ImGui::IsItemVisible();
    if (!card->isSeen) return false;
    ImDrawList *list = ImGui::GetWindowDrawList();
    list->AddRectFilled(at, end, IM_COL32(30, 34, 41, 255));
    if (card->picture) list->AddImage((ImTextureID)(intptr_t)card->picture, at, end);
    float left = end.x + 10, width = ImGui::GetWindowPos().x + ImGui::GetWindowContentRegionMax().x - left;
    ImVec4 clip(left, at.y, left + width, end.y);
    list->AddText(NULL, 0, ImVec2(left, at.y + 4), ImGui::GetColorU32(ImGuiCol_Text), card->title, NULL,
                  width, &clip);
    float below = at.y + 8 + ImGui::CalcTextSize(card->title, NULL, false, width).y;
    list->AddText(NULL, 0, ImVec2(left, below), IM_COL32(158, 168, 184, 255), card->text, NULL, width, &clip);
    return isPressed;
}

extern "C" bool wbUi_Input(const char *hint, char *text, int size, float width) {
    ImGui::SetNextItemWidth(width);
    char label[64];
    snprintf(label, sizeof label, "##%s", hint);
    return ImGui::InputTextWithHint(label, hint, text, (size_t)size, ImGuiInputTextFlags_EnterReturnsTrue);
}

extern "C" void wbUi_SameLine(void) { ImGui::SameLine(); }
extern "C" void wbUi_Space(float width) {
    ImGui::SameLine();
    ImGui::Dummy(ImVec2(width, 1));
    ImGui::SameLine();
}
extern "C" void wbUi_Separator(void) { ImGui::Separator(); }
extern "C" void wbUi_Columns(int count) { ImGui::Columns(count, NULL, false); }
extern "C" void wbUi_NextColumn(void) { ImGui::NextColumn(); }

// The widget takes the left part of a panel, its name the right.
static void beginRow(const wbUiRow *row) {
    ImGui::PushID(row->key ? row->key : row->label);
    if (row->isFixed) ImGui::BeginDisabled();
    ImGui::SetNextItemWidth(0.54f * ImGui::GetContentRegionAvail().x);
}

static wbUiEdit endRow(const wbUiRow *row, bool isChanged) {
    wbUiEdit edit = isChanged ? wb_uiChanged : wb_uiNone;
    addTooltip(row->tooltip);
    if (row->isFixed) ImGui::EndDisabled();
    if (ImGui::BeginPopupContextItem("row")) {
        if (!row->isFixed && ImGui::MenuItem("the default")) edit = wb_uiDefault;
        if (!row->isFixed && ImGui::MenuItem("the scene's value")) edit = wb_uiScene;
        if (ImGui::MenuItem("copy as --set")) edit = wb_uiCopy;
        if (ImGui::MenuItem("plot it, or no longer")) edit = wb_uiPlot;
        ImGui::EndPopup();
    }
    ImGui::SameLine();
    if (row->isChanged)
        ImGui::TextColored(ImVec4(1, 0.82f, 0.35f, 1), "%s *", row->label);
    else
        ImGui::TextUnformatted(row->label);
    addTooltip(row->tooltip);
    ImGui::PopID();
    return edit;
}

extern "C" wbUiEdit wbUi_Slider(const wbUiRow *row, float *value) {
    beginRow(row);
    ImGuiSliderFlags flags = row->isLogarithmic ? ImGuiSliderFlags_Logarithmic : 0;
    bool isChanged = ImGui::SliderFloat("##value", value, row->low, row->high, row->format, flags);
    if (isChanged && row->isWhole) *value = roundf(*value);
    return endRow(row, isChanged);
}

extern "C" wbUiEdit wbUi_Vector(const wbUiRow *row, float value[3]) {
    beginRow(row);
    float speed = fmaxf(1e-4f, 0.005f * (row->high - row->low));
    bool isChanged = ImGui::DragFloat3("##value", value, speed, 0, 0, row->format);
    return endRow(row, isChanged);
}

extern "C" wbUiEdit wbUi_Colour(const wbUiRow *row, float value[3]) {
    beginRow(row);
    bool isChanged = ImGui::ColorEdit3("##value", value, ImGuiColorEditFlags_Float);
    return endRow(row, isChanged);
}

extern "C" wbUiEdit wbUi_Check(const wbUiRow *row, bool *value) {
    beginRow(row);
    bool isChanged = ImGui::Checkbox("##value", value);
    return endRow(row, isChanged);
}

extern "C" wbUiEdit wbUi_Choice(const wbUiRow *row, int *value, const char *zeroSeparated) {
    beginRow(row);
    bool isChanged = ImGui::Combo("##value", value, zeroSeparated);
    return endRow(row, isChanged);
}

extern "C" bool wbUi_Auto(const wbUiRow *row, bool *isAuto) {
    ImGui::PushID(row->key);
    bool isChanged = ImGui::Checkbox("##auto", isAuto);
    addTooltip("auto: chosen by the world");
    ImGui::PopID();
    ImGui::SameLine();
    return isChanged;
}

extern "C" float wbUi_TimeLine(float now, const wbUiMark *marks, int count, const char *label, float height) {
    static const ImU32 colours[] = {IM_COL32(80, 92, 110, 255), IM_COL32(255, 190, 90, 255),
                                    IM_COL32(120, 220, 130, 255)};
    ImVec2 at = ImGui::GetCursorScreenPos(), size(ImGui::GetContentRegionAvail().x, height);
    if (size.x < 8) return -1;
    ImGui::InvisibleButton("time", size);
    bool isHeld = ImGui::IsItemActive();
    ImDrawList *list = ImGui::GetWindowDrawList();
    list->AddRectFilled(at, ImVec2(at.x + size.x, at.y + height), IM_COL32(30, 34, 41, 255), 3);
    list->AddRectFilled(at, ImVec2(at.x + now * size.x, at.y + height), IM_COL32(44, 74, 112, 255), 3);
    for (int kind = 0; kind < 3; kind++)
        for (int i = 0; i < count; i++)
            if (marks[i].kind == kind) {
                float x = at.x + marks[i].share * size.x, top = kind == 0 ? at.y + 0.75f * height : at.y;
                list->AddLine(ImVec2(x, top), ImVec2(x, at.y + height), colours[kind]);
            }
    float x = at.x + now * size.x;
    list->AddLine(ImVec2(x, at.y), ImVec2(x, at.y + height), IM_COL32(240, 245, 250, 255), 2);
    list->AddText(ImVec2(at.x + 6, at.y + 0.5f * (height - ImGui::GetFontSize())),
                  IM_COL32(225, 230, 238, 255), label);
    float share = (ImGui::GetIO().MousePos.x - at.x) / size.x;
    return isHeld ? fminf(fmaxf(share, 0), 1) : -1;
}

static float getValue(const wbUiCurve *curve, int index) {
    return curve->values[(curve->first + index) % curve->capacity];
}

// Of one curve, or of all up to it on top of each other.
static float getHeight(const wbUiCurve *curves, int curve, int index, bool isStacked) {
    if (!isStacked) return getValue(&curves[curve], index);
    float sum = 0;
    for (int c = 0; c <= curve; c++)
        sum += isfinite(getValue(&curves[c], index)) ? getValue(&curves[c], index) : 0;
    return sum;
}

typedef struct Frame {
    ImVec2 at, size;
    float low, high;
} Frame;

static ImVec2 place(const Frame *frame, int index, int count, float value) {
    float x = frame->at.x + frame->size.x * (float)index / (float)(count > 1 ? count - 1 : 1);
    return ImVec2(x, frame->at.y + frame->size.y * (1 - (value - frame->low) / (frame->high - frame->low)));
}

static void findRange(Frame *frame, const wbUiCurve *curves, int count, bool isStacked) {
    frame->low = isStacked ? 0 : INFINITY, frame->high = isStacked ? 0 : -INFINITY;
    for (int c = 0; c < count; c++)
        for (int i = 0; i < curves[c].count; i++) {
            float value = getHeight(curves, c, i, isStacked);
            if (!isfinite(value)) continue;
            frame->low = fminf(frame->low, value), frame->high = fmaxf(frame->high, value);
        }
    if (!(frame->high >= frame->low)) frame->low = 0, frame->high = 1;
    // a flat curve lies in the middle
    float margin = frame->high > frame->low ? 0 : fmaxf(1e-6f, 0.1f * fabsf(frame->low));
    frame->low -= margin, frame->high += margin;
}

static void drawCurves(const Frame *frame, const wbUiCurve *curves, int count, bool isStacked) {
    ImDrawList *list = ImGui::GetWindowDrawList();
    list->PushClipRect(frame->at, ImVec2(frame->at.x + frame->size.x, frame->at.y + frame->size.y), true);
    for (int c = 0; c < count; c++)
        for (int i = 1; i < curves[c].count; i++) {
            float from = getHeight(curves, c, i - 1, isStacked), to = getHeight(curves, c, i, isStacked);
            if (isfinite(from) && isfinite(to))
                list->AddLine(place(frame, i - 1, curves[c].count, from),
                              place(frame, i, curves[c].count, to), curveColours[c % curveColourCount], 1.5f);
        }
    list->PopClipRect();
}

static void showValues(const wbUiCurve *curves, int count, int index) {
    ImGui::BeginTooltip();
    for (int c = 0; c < count; c++)
        ImGui::TextColored(ImGui::ColorConvertU32ToFloat4(curveColours[c % curveColourCount]), "%s  %.4g",
                           curves[c].name, (double)getValue(&curves[c], index));
    ImGui::EndTooltip();
}

static void showSummaries(const wbUiCurve *curves, int count) {
    for (int c = 0; c < count; c++)
        ImGui::TextColored(ImGui::ColorConvertU32ToFloat4(curveColours[c % curveColourCount]), "%s  %s",
                           curves[c].name, curves[c].summary);
}

extern "C" int wbUi_Plot(const char *title, const wbUiCurve *curves, int count, bool isStacked, float height,
                         bool *isRightClicked) {
    *isRightClicked = false;
    ImGui::PushTextWrapPos(0);
    ImGui::TextUnformatted(title);
    ImGui::PopTextWrapPos();
    Frame frame = {ImGui::GetCursorScreenPos(), ImVec2(ImGui::GetContentRegionAvail().x, height), 0, 1};
    if (frame.size.x < 8) return -1;
    ImGui::InvisibleButton(title, frame.size);
    findRange(&frame, curves, count, isStacked);
    ImDrawList *list = ImGui::GetWindowDrawList();
    ImVec2 end(frame.at.x + frame.size.x, frame.at.y + height);
    list->AddRectFilled(frame.at, end, IM_COL32(24, 27, 33, 255), 3);
    for (int i = 1; i < 4; i++) {
        float y = frame.at.y + height * (float)i / 4;
        list->AddLine(ImVec2(frame.at.x, y), ImVec2(end.x, y), IM_COL32(52, 58, 68, 255));
    }
    drawCurves(&frame, curves, count, isStacked);
    char text[32];
    snprintf(text, sizeof text, "%.3g", (double)frame.high);
    list->AddText(ImVec2(frame.at.x + 3, frame.at.y + 1), IM_COL32(160, 168, 180, 255), text);
    snprintf(text, sizeof text, "%.3g", (double)frame.low);
    list->AddText(ImVec2(frame.at.x + 3, end.y - ImGui::GetFontSize() - 1), IM_COL32(160, 168, 180, 255),
                  text);
    bool isHovered = ImGui::IsItemHovered() && curves[0].count >= 2, isClicked = ImGui::IsItemClicked();
    *isRightClicked = ImGui::IsItemClicked(ImGuiMouseButton_Right);
    showSummaries(curves, count);
    if (!isHovered) return -1;
    float share = (ImGui::GetIO().MousePos.x - frame.at.x) / frame.size.x;
    int index = (int)(fminf(fmaxf(share, 0), 1) * (float)(curves[0].count - 1) + 0.5f);
    showValues(curves, count, index);
    return isClicked ? index : -1;
}

static void drawText(const char *text, float size, ImVec2 at) {
    ImDrawList *list = ImGui::GetBackgroundDrawList();
    for (int i = 0; i < 4; i++)
        list->AddText(ImGui::GetFont(), size,
                      ImVec2(at.x + (i & 1 ? 1.5f : -1.5f), at.y + (i & 2 ? 1.5f : -1.5f)),
                      IM_COL32(8, 12, 18, 150), text);
    list->AddText(ImGui::GetFont(), size, at, IM_COL32(245, 248, 252, 240), text);
}

extern "C" void wbUi_Banner(const char *text, float x, float y, float room) {
    const float width = ImGui::GetFont()->CalcTextSizeA(34, 1e6f, 0, text).x;
    const float fit = fminf(1, fmaxf(room, 1) / fmaxf(width, 1));
    drawText(text, 34 * fit, ImVec2(x - 0.5f * fit * width, y - 17 * fit));
}

extern "C" float wbUi_Note(const char *text, float x, float y) {
    const float width = fminf(560, ImGui::GetIO().DisplaySize.x - x - 24);
    ImVec2 size = ImGui::CalcTextSize(text, NULL, false, width), end(x + size.x + 16, y + size.y + 8);
    ImDrawList *list = ImGui::GetBackgroundDrawList();
    list->AddRectFilled(ImVec2(x, y), end, IM_COL32(24, 27, 33, 220), 3);
    list->AddText(NULL, 0, ImVec2(x + 8, y + 4), IM_COL32(245, 248, 252, 240), text, NULL, width);
    return size.y + 12;
}

extern "C" void wbUi_BeginOver(float x, float y, float width, float height) {
    ImGui::GetBackgroundDrawList()->PushClipRect(ImVec2(x, y), ImVec2(x + width, y + height));
}

extern "C" void wbUi_EndOver(void) { ImGui::GetBackgroundDrawList()->PopClipRect(); }

extern "C" void wbUi_Line(float x0, float y0, float x1, float y1, float width, const unsigned char c[4]) {
    ImGui::GetBackgroundDrawList()->AddLine(ImVec2(x0, y0), ImVec2(x1, y1), IM_COL32(c[0], c[1], c[2], c[3]),
                                            width);
}

extern "C" void wbUi_Disc(float x, float y, float radius, const unsigned char c[4], bool isFull) {
    ImDrawList *list = ImGui::GetBackgroundDrawList();
    if (isFull)
        list->AddCircleFilled(ImVec2(x, y), radius, IM_COL32(c[0], c[1], c[2], c[3]));
    else
        list->AddCircle(ImVec2(x, y), radius, IM_COL32(c[0], c[1], c[2], c[3]), 0, 2);
}

extern "C" void wbUi_Tip(const char *text, float x, float y) {
    ImDrawList *list = ImGui::GetBackgroundDrawList();
    ImVec2 size = ImGui::CalcTextSize(text), end = list->GetClipRectMax();
    x = fminf(x + 16, end.x - size.x - 8), y = fminf(y + 12, end.y - size.y - 8);
    list->AddRectFilled(ImVec2(x - 6, y - 4), ImVec2(x + size.x + 6, y + size.y + 4),
                        IM_COL32(14, 18, 24, 225), 4);
    list->AddText(ImVec2(x, y), IM_COL32(240, 244, 250, 255), text);
}

extern "C" void wbUi_Progress(const char *text, float share, float x, float y) {
    const ImVec2 low(x - 120, y), high(x + 120, y + 22),
        done(x - 120 + 240 * fminf(fmaxf(share, 0), 1), y + 22);
    ImDrawList *list = ImGui::GetBackgroundDrawList();
    list->AddRectFilled(low, high, IM_COL32(24, 27, 33, 220), 3);
    list->AddRectFilled(low, done, IM_COL32(51, 120, 199, 255), 3);
    drawText(text, ImGui::GetFontSize(), ImVec2(low.x + 8, y + 3));
}

extern "C" void wbUi_Divider(float x, float y, float height) {
    ImGui::GetBackgroundDrawList()->AddRectFilled(ImVec2(x, y), ImVec2(x + 2, y + height),
                                                  IM_COL32(24, 27, 33, 255));
}

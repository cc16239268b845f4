# SPDX-License-Identifier: Apache-2.0
# cmake -DJSON=<goals.json> -DFOLDER=<folder> -P chart.cmake: load.svg and discovery.svg from what bench_goals wrote.
# Whole numbers only: cmake has no others. Ratios are in thousandths, times in ns.
cmake_minimum_required(VERSION 3.25)
file(READ "${JSON}" json)

set(names_ours "libbackend_registry")
set(names_ours_cached "libbackend_registry, cached")
set(names_raw "dlopen")
set(names_boost_dll "Boost.DLL")
set(names_gmodule "GModule")
set(names_poco "POCO")
set(names_gio "GIO")
set(names_qt "Qt 5")
set(names_class_loader "class_loader")
set(names_gstreamer "GStreamer")
set(names_gstreamer_warm "GStreamer, cached")
set(names_gstreamer_cold "GStreamer")
set(names_open_all "opening all")
set(names_bare_scan "open, read 4 KiB, close")

# thousandths(<variable> <decimal>): "1.5" is 1500.
function(thousandths variable decimal)
  string(REGEX MATCH "^([0-9]+)(\\.([0-9]*))?" matched "${decimal}")
  set(whole "${CMAKE_MATCH_1}")
  string(SUBSTRING "${CMAKE_MATCH_3}000" 0 3 fraction)
  string(REGEX REPLACE "^0+(.)" "\\1" fraction "${fraction}")
  math(EXPR result "${whole} * 1000 + ${fraction}")
  set(${variable} ${result} PARENT_SCOPE)
endfunction()

# decimal(<variable> <thousandths> <digits>)
function(decimal variable number digits)
  math(EXPR whole "${number} / 1000")
  math(EXPR rest "1000 + ${number} % 1000")
  string(SUBSTRING ${rest} 1 ${digits} rest)
  set(${variable} "${whole}.${rest}" PARENT_SCOPE)
endfunction()

# bars(<file> <title> <unit> <digits> <line>): from the list `rows` of "<thousandths>|<who>", the shortest first. At
# `line` thousandths a dashed line says where the yardstick is; 0: none.
function(bars file title unit digits line)
  list(SORT rows COMPARE NATURAL)
  list(GET rows -1 longest)
  string(REGEX REPLACE "\\|.*" "" longest "${longest}")
  set(y 44)
  set(body "")
  foreach(row IN LISTS rows)
    string(REGEX MATCH "^([0-9]+)\\|(.*)$" matched "${row}")
    set(thousandths "${CMAKE_MATCH_1}")
    set(who "${CMAKE_MATCH_2}")
    math(EXPR width "(${thousandths} * 380 + ${longest} / 2) / ${longest} + 1")
    decimal(number ${thousandths} ${digits})
    math(EXPR text_y "${y} + 14")
    math(EXPR number_x "206 + ${width}")
    set(class other)
    if(who MATCHES "^ours")
      set(class ours)
    endif()
    string(APPEND body "<text x=\"192\" y=\"${text_y}\" text-anchor=\"end\">${names_${who}}</text>"
      "<rect class=\"${class}\" x=\"200\" y=\"${y}\" width=\"${width}\" height=\"18\" rx=\"2\"/>"
      "<text x=\"${number_x}\" y=\"${text_y}\">${number}${unit}</text>\n")
    math(EXPR y "${y} + 26")
  endforeach()
  if(line GREATER 0)
    math(EXPR x "200 + ${line} * 380 / ${longest}")
    math(EXPR end "${y} - 4")
    string(APPEND body "<line x1=\"${x}\" y1=\"40\" x2=\"${x}\" y2=\"${end}\"/>\n")
  endif()
  math(EXPR height "${y} + 8")
  # The colours can be read on white and on black; where the reader's scheme is known, the text follows it.
  file(WRITE "${file}" "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 680 ${height}\" width=\"680\" "
    "height=\"${height}\" role=\"img\" aria-label=\"${title}\">\n"
    "<!-- SPDX-License-Identifier: Apache-2.0 -->\n<style>\n"
    "text { font: 13px system-ui, sans-serif; fill: #57606a }\n"
    ".title { font-weight: 600 }\n.ours { fill: #2f81f7 }\n.other { fill: #8c959f }\n"
    "line { stroke: #8c959f; stroke-dasharray: 3 3 }\n"
    "@media (prefers-color-scheme: dark) { text { fill: #c9d1d9 } .other { fill: #6e7681 } }\n"
    "</style>\n<text class=\"title\" x=\"8\" y=\"22\">${title}</text>\n${body}</svg>\n")
endfunction()

set(rows "")
foreach(who IN ITEMS raw ours boost_dll gmodule poco gio qt class_loader gstreamer)
  string(JSON ratio ERROR_VARIABLE missing GET "${json}" ratio_to_raw load ${who} median)
  if(NOT missing)
    thousandths(number ${ratio})
    list(APPEND rows "${number}|${who}")
  endif()
endforeach()
bars("${FOLDER}/load.svg" "Load, create and destroy, against dlopen of the same files (shorter is better)" "" 2 1000)

string(JSON many GET "${json}" many)
string(JSON scan_cache GET "${json}" scan_cache)
set(rows "")
foreach(who IN ITEMS ours ours_cached bare_scan boost_dll qt gio open_all class_loader gstreamer_warm gstreamer_cold)
  string(JSON time ERROR_VARIABLE missing GET "${json}" measured discover.${many}.${who} median)
  if(NOT missing AND (scan_cache OR NOT who STREQUAL "ours_cached"))
    string(REGEX REPLACE "\\..*" "" time "${time}")
    math(EXPR number "(${time} + 500) / 1000")
    list(APPEND rows "${number}|${who}")
  endif()
endforeach()
bars("${FOLDER}/discovery.svg" "Discovery of ${many} plugins, ms (shorter is better)" " ms" 1 0)
